import Vapor

struct Ticket: Content {
    var id: UUID?
    var title: String
    var urgent: Bool
}

extension Ticket: Validatable {
    static func validations(_ validations: inout Validations) {
        validations.add("title", as: String.self, is: !.empty && .count(...80))
    }
}

actor Board {
    private var tickets: [UUID: Ticket] = [:]

    func all() -> [Ticket] { Array(tickets.values) }

    func add(_ ticket: Ticket) -> Ticket {
        var fresh = ticket
        let id = UUID()
        fresh.id = id
        tickets[id] = fresh
        return fresh
    }

    func remove(_ id: UUID) -> Bool { tickets.removeValue(forKey: id) != nil }
}

struct TicketRoutes: RouteCollection {
    let board = Board()

    func boot(routes: any RoutesBuilder) throws {
        let tickets = routes.grouped("tickets")
        tickets.get { request async throws -> [Ticket] in
            request.logger.info("listing")
            return await board.all()
        }
        tickets.post { request async throws -> Response in
            try Ticket.validate(content: request)
            let ticket = try request.content.decode(Ticket.self)
            let made = await board.add(ticket)
            let response = Response(status: .created)
            try response.content.encode(made)
            return response
        }
        tickets.delete(":id") { request async throws -> HTTPStatus in
            guard let id = request.parameters.get("id", as: UUID.self) else {
                throw Abort(.badRequest, reason: "that is no identity")
            }
            return await board.remove(id) ? .noContent : .notFound
        }
    }
}

func configure(_ app: Application) async throws {
    app.http.server.configuration.port = 8080
    app.middleware.use(FileMiddleware(publicDirectory: app.directory.publicDirectory))
    app.middleware.use(ErrorMiddleware.default(environment: app.environment))
    try app.register(collection: TicketRoutes())
}

@main
enum Entrypoint {
    static func main() async throws {
        var environment = try Environment.detect()
        try LoggingSystem.bootstrap(from: &environment)
        let app = try await Application.make(environment)
        try await configure(app)
        try await app.execute()
        try await app.asyncShutdown()
    }
}
