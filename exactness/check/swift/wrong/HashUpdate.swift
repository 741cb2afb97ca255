// invented: computeHash; right: hash
import Crypto
import Foundation

func checksum(of text: String) -> Int {
    let digest = SHA256.computeHash(data: Data(text.utf8))
    return digest.count
}
