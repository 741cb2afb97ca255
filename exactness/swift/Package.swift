// swift-tools-version: 6.0
// The packages that code is checked against, pinned. Nothing here imports them.
import PackageDescription

let package = Package(
    name: "exactness",
    dependencies: [
        .package(url: "https://github.com/Alamofire/Alamofire", exact: "5.12.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.5"),
        .package(url: "https://github.com/apple/swift-atomics", exact: "1.3.1"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.10.1"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.3"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.8.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.1"),
        .package(url: "https://github.com/scinfu/SwiftSoup", exact: "2.13.6"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.33.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.11.0"),
        .package(url: "https://github.com/vapor/vapor", exact: "4.122.0"),
    ]
)
