// invented: timeouts; right: timeout
import AsyncHTTPClient

func makeClient() -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.timeouts = .init(connect: .seconds(3), read: .seconds(10))
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
}
