import Foundation
import SwiftSoup
import Yams

struct Feed: Codable, Equatable {
    var name: String
    var address: String
}

enum FeedError: Error {
    case noTitle
}

func read(_ text: String) throws -> [Feed] {
    let decoder = YAMLDecoder()
    return try decoder.decode([Feed].self, from: text)
}

func write(_ feeds: [Feed]) throws -> String {
    let encoder = YAMLEncoder()
    encoder.options.sortKeys = true
    encoder.options.indent = 4
    return try encoder.encode(feeds)
}

func keys(_ text: String) throws -> [String] {
    guard let node = try Yams.compose(yaml: text), let mapping = node.mapping else {
        return []
    }
    return mapping.keys.compactMap { $0.string }
}

func title(of page: String) throws -> String {
    let document = try SwiftSoup.parse(page, "https://feeds.example")
    guard let heading = try document.select("h1.title").first() else {
        throw FeedError.noTitle
    }
    try heading.addClass("seen")
    return try heading.text()
}

func clean(_ page: String) throws -> String? {
    let list = try Whitelist.basic()
    return try SwiftSoup.clean(page, list)
}

func links(in page: String) throws -> [String] {
    let document: Document = try SwiftSoup.parse(page)
    let found: Elements = try document.select("a[href]")
    return try found.array().map { try $0.attr("href") }
}
