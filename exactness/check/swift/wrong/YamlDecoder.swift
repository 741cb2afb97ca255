// invented: YamlDecoder; right: YAMLDecoder
import Yams

struct Settings: Decodable {
    var name: String
}

func settings(from text: String) throws -> Settings {
    let decoder = Yams.YamlDecoder()
    return try decoder.decode(Settings.self, from: text)
}
