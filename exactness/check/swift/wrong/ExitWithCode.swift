// invented: error; right: failure
import ArgumentParser

struct Check: ParsableCommand {
    @Argument var file: String

    func run() throws {
        if file.isEmpty {
            throw ExitCode.error
        }
    }
}
