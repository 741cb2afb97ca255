import Foundation
import GRDB

struct Player: Codable, Identifiable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var score: Int

    enum Columns {
        static let name = Column("name")
        static let score = Column("score")
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

final class Store {
    private let queue: DatabaseQueue

    init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = false
        configuration.label = "players"
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA foreign_keys = ON")
        }
        self.queue = try DatabaseQueue(path: path, configuration: configuration)
        try Self.migrator.migrate(queue)
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.eraseDatabaseOnSchemaChange = false
        migrator.registerMigration("create players") { db in
            try db.create(table: "player") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("name", .text).notNull()
                table.column("score", .integer).notNull().defaults(to: 0)
            }
        }
        return migrator
    }

    func add(_ name: String, score: Int) async throws -> Player {
        try await queue.write { db in
            var player = Player(id: nil, name: name, score: score)
            try player.insert(db)
            return player
        }
    }

    func best(_ count: Int) async throws -> [Player] {
        try await queue.read { db in
            try Player
                .filter(Player.Columns.score > 0)
                .order(Player.Columns.score.desc, Player.Columns.name)
                .limit(count)
                .fetchAll(db)
        }
    }

    func watch(_ changed: @escaping @Sendable ([Player]) -> Void) -> AnyDatabaseCancellable {
        let observation = ValueObservation.tracking { db in
            try Player.fetchAll(db)
        }
        return observation.start(in: queue, onError: { error in print(error) }, onChange: changed)
    }
}
