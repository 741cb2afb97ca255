// invented: register; right: registerMigration
import GRDB

func makeMigrator() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.register("first") { db in
        try db.execute(sql: "create table player (id integer primary key)")
    }
    return migrator
}
