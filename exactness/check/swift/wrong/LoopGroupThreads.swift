// invented: threads; right: numberOfThreads
import NIOPosix

func withGroup(_ work: (MultiThreadedEventLoopGroup) throws -> Void) throws {
    let group = MultiThreadedEventLoopGroup(threads: 2)
    defer { try? group.syncShutdownGracefully() }
    try work(group)
}
