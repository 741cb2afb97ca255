// invented: name; right: commandName
import ArgumentParser

@main
struct Tool: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "tool",
        abstract: "Does one thing.",
        version: "1.0.0"
    )

    @Flag(help: "Says more.")
    var verbose = false

    func run() throws {
        print(verbose ? "done, and how" : "done")
    }
}
