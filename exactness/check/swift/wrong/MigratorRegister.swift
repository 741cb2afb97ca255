// invented: addMigration; right: registerMigration
import GRDB

func makeMigrator() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.addMigration("first") { db in
        try db.execute(sql: "create table player (id integer primary key)")
    }
    return migrator
}
