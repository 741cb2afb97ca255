import Alamofire
import Foundation

struct Forecast: Decodable, Sendable {
    let city: String
    let celsius: Double
}

struct Query: Encodable {
    let city: String
    let days: Int
}

final class Retrier: RequestInterceptor {
    func adapt(
        _ urlRequest: URLRequest,
        for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        var request = urlRequest
        request.headers.add(.authorization(bearerToken: "token"))
        request.headers.add(HTTPHeader(name: "X-Client", value: "weather"))
        completion(.success(request))
    }
}

final class WeatherAPI {
    private let session: Session
    private let monitor = NetworkReachabilityManager(host: "weather.example")

    init() {
        let policy = RetryPolicy(retryLimit: 3, exponentialBackoffBase: 2)
        let interceptor = Interceptor(adapters: [Retrier()], retriers: [policy])
        self.session = Session(interceptor: interceptor)
    }

    func forecast(for city: String) async throws -> [Forecast] {
        let headers: HTTPHeaders = [.accept("application/json")]
        let request = session.request(
            "https://weather.example/forecast",
            method: .get,
            parameters: Query(city: city, days: 3),
            encoder: URLEncodedFormParameterEncoder.default,
            headers: headers
        )
        return try await request
            .validate(statusCode: 200..<300)
            .serializingDecodable([Forecast].self)
            .value
    }

    func map(to file: URL, done: @escaping (Result<URL, AFError>) -> Void) {
        let destination: DownloadRequest.Destination = { _, _ in
            (file, [.removePreviousFile, .createIntermediateDirectories])
        }
        AF.download("https://weather.example/map.png", to: destination)
            .downloadProgress { progress in print(progress.fractionCompleted) }
            .responseURL { response in done(response.result) }
    }

    func watch() {
        monitor?.startListening { status in
            switch status {
            case .reachable(.cellular): print("slow")
            case .reachable(.ethernetOrWiFi): print("fast")
            case .notReachable, .unknown: print("offline")
            }
        }
    }
}
