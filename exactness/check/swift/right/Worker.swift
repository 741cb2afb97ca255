import AsyncAlgorithms
import Atomics
import Foundation
import Logging
import Metrics
import NIOConcurrencyHelpers
import ServiceLifecycle

struct Job: Sendable {
    let name: String
    let seconds: Double
}

final class Totals: Sendable {
    private let done = ManagedAtomic<Int>(0)
    private let names = NIOLockedValueBox<[String]>([])

    func add(_ name: String) -> Int {
        names.withLockedValue { $0.append(name) }
        return done.wrappingIncrementThenLoad(ordering: .relaxed)
    }

    var count: Int { done.load(ordering: .acquiring) }
}

struct Worker: Service {
    let logger: Logger
    let totals = Totals()
    let channel = AsyncChannel<Job>()

    func run() async throws {
        let finished = Counter(label: "jobs_finished", dimensions: [("kind", "all")])
        let timer = Timer(label: "job_seconds")
        let waiting = Gauge(label: "jobs_waiting")
        for await job in channel.cancelOnGracefulShutdown() {
            let start = DispatchTime.now().uptimeNanoseconds
            let count = totals.add(job.name)
            finished.increment()
            waiting.record(count)
            timer.recordNanoseconds(Int64(DispatchTime.now().uptimeNanoseconds - start))
            logger.info("done", metadata: ["job": "\(job.name)"])
        }
    }

    func submit(_ job: Job) async {
        await channel.send(job)
    }
}

func main() async throws {
    var logger = Logger(label: "worker")
    logger.logLevel = .trace
    logger[metadataKey: "host"] = "local"
    let worker = Worker(logger: logger)
    let group = ServiceGroup(
        services: [worker],
        gracefulShutdownSignals: [.sigterm],
        logger: logger
    )
    try await group.run()
}
