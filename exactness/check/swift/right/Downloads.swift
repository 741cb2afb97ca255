import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1

struct Failure: Error {
    let status: HTTPResponseStatus
}

actor Downloads {
    private let client: HTTPClient
    private let logger = Logger(label: "downloads")

    init() {
        var configuration = HTTPClient.Configuration()
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(5), read: .seconds(30))
        configuration.redirectConfiguration = .follow(max: 5, allowCycles: false)
        self.client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func text(from address: String) async throws -> String {
        var request = HTTPClientRequest(url: address)
        request.method = .GET
        request.headers.add(name: "Accept", value: "text/plain")
        let response = try await client.execute(request, timeout: .seconds(30), logger: logger)
        guard response.status == .ok else {
            throw Failure(status: response.status)
        }
        let body = try await response.body.collect(upTo: 1 << 20)
        return String(buffer: body)
    }

    func send(_ value: some Encodable, to address: String) async throws -> HTTPHeaders {
        var request = HTTPClientRequest(url: address)
        request.method = .POST
        request.headers.replaceOrAdd(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(value)))
        let response = try await client.execute(request, deadline: .now() + .seconds(10))
        for (name, value) in response.headers {
            logger.debug("header", metadata: ["name": .string(name), "value": .string(value)])
        }
        return response.headers
    }

    func finish() async throws {
        try await client.shutdown()
    }
}
