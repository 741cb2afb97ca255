// invented: httpMethod; right: method
import AsyncHTTPClient

func remove(_ address: String, with client: HTTPClient) async throws -> Bool {
    var request = HTTPClientRequest(url: address)
    request.httpMethod = .DELETE
    let response = try await client.execute(request, timeout: .seconds(5))
    return response.status == .noContent
}
