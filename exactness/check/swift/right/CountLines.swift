import ArgumentParser
import Foundation
import Logging

enum Output: String, ExpressibleByArgument, CaseIterable {
    case plain, json
}

struct Options: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Says more.")
    var verbose = false

    @Option(name: .long, help: "How to print.")
    var output: Output = .plain
}

@main
struct CountLines: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count-lines",
        abstract: "Counts the lines of files.",
        version: "1.2.0",
        subcommands: [Count.self, Watch.self],
        defaultSubcommand: Count.self
    )
}

extension CountLines {
    struct Count: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Counts once.")

        @OptionGroup var options: Options
        @Argument(help: ArgumentHelp("The files.", valueName: "file"), completion: .file())
        var files: [String] = []

        func validate() throws {
            guard !files.isEmpty else {
                throw ValidationError("Name at least one file.")
            }
        }

        mutating func run() async throws {
            var logger = Logger(label: "count")
            logger.logLevel = options.verbose ? .debug : .info
            for file in files {
                let text = try String(contentsOfFile: file, encoding: .utf8)
                let count = text.split(separator: "\n", omittingEmptySubsequences: false).count
                logger.debug("counted", metadata: ["file": "\(file)", "count": "\(count)"])
                print(options.output == .json ? "{\"\(file)\": \(count)}" : "\(count) \(file)")
            }
            if files.count > 100 {
                throw ExitCode.failure
            }
        }
    }

    struct Watch: ParsableCommand {
        @Argument var folder: String

        func run() throws {
            guard FileManager.default.fileExists(atPath: folder) else {
                throw CleanExit.message("nothing to watch")
            }
        }
    }
}
