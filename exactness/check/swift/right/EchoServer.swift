import Logging
import NIOCore
import NIOPosix

final class EchoHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
    }

    func channelActive(context: ChannelHandlerContext) {
        self.logger.info("connected", metadata: ["peer": "\(String(describing: context.remoteAddress))"])
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = self.unwrapInboundIn(data)
        if let line = buffer.readString(length: buffer.readableBytes) {
            self.logger.trace("read \(line.count)")
            var answer = context.channel.allocator.buffer(capacity: line.utf8.count)
            answer.writeString(line)
            context.write(self.wrapOutboundOut(answer), promise: nil)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.logger.error("failed: \(error)")
        context.close(promise: nil)
    }
}

func serve(host: String, port: Int) throws {
    let logger = Logger(label: "echo")
    let group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
    defer { try? group.syncShutdownGracefully() }
    let bootstrap = ServerBootstrap(group: group)
        .serverChannelOption(ChannelOptions.backlog, value: 256)
        .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(BackPressureHandler())
                try channel.pipeline.syncOperations.addHandler(EchoHandler(logger: logger))
            }
        }
        .childChannelOption(ChannelOptions.maxMessagesPerRead, value: 16)
    let channel = try bootstrap.bind(host: host, port: port).wait()
    logger.notice("listening on \(String(describing: channel.localAddress))")
    try channel.closeFuture.wait()
}
