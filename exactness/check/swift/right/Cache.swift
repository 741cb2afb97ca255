import Collections
import OrderedCollections

struct Entry: Hashable {
    var key: String
    var bytes: Int
}

struct LeastRecentlyUsed {
    private var entries: OrderedDictionary<String, Entry> = [:]
    private var history = Deque<String>()
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        self.history.reserveCapacity(capacity)
    }

    mutating func insert(_ entry: Entry) -> Entry? {
        let old = entries.updateValue(entry, forKey: entry.key)
        history.append(entry.key)
        if entries.count > capacity, let oldest = history.popFirst() {
            entries.removeValue(forKey: oldest)
        }
        return old
    }

    func largest(_ count: Int) -> [Entry] {
        var heap = Heap<Weighted>()
        for entry in entries.values {
            heap.insert(Weighted(bytes: entry.bytes, key: entry.key))
        }
        var found: [Entry] = []
        while found.count < count, let next = heap.popMax() {
            if let entry = entries[next.key] {
                found.append(entry)
            }
        }
        return found
    }

    var keys: OrderedSet<String> {
        var all = OrderedSet<String>(minimumCapacity: entries.count)
        for key in entries.keys.sorted() {
            all.append(key)
        }
        return all
    }
}

struct Weighted: Comparable {
    var bytes: Int
    var key: String

    static func < (left: Weighted, right: Weighted) -> Bool {
        (left.bytes, left.key) < (right.bytes, right.key)
    }
}

func evens(upTo limit: Int) -> BitSet {
    var set = BitSet(reservingCapacity: limit)
    for number in stride(from: 0, to: limit, by: 2) {
        set.insert(number)
    }
    return set
}

func rotate(_ values: [Int]) -> Deque<Int> {
    var queue = Deque(values)
    if let first = queue.popFirst() {
        queue.append(first)
    }
    return queue
}

func index(_ words: [String]) -> TreeDictionary<String, Int> {
    var tree = TreeDictionary<String, Int>()
    for (position, word) in words.enumerated() {
        tree[word] = position
    }
    return tree
}
