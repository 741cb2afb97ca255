import Crypto
import Foundation

struct Envelope: Codable {
    var nonce: Data
    var sealed: Data
    var signature: Data
}

enum SigningError: Error {
    case wrongSignature
    case short
}

struct Sealer {
    private let key: SymmetricKey
    private let signing: Curve25519.Signing.PrivateKey

    init(secret: Data, salt: Data) {
        let input = SymmetricKey(data: secret)
        self.key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: input,
            salt: salt,
            info: Data("envelope".utf8),
            outputByteCount: 32
        )
        self.signing = Curve25519.Signing.PrivateKey()
    }

    func seal(_ plain: Data) throws -> Envelope {
        let nonce = ChaChaPoly.Nonce()
        let box = try ChaChaPoly.seal(plain, using: key, nonce: nonce)
        let signature = try signing.signature(for: box.combined)
        return Envelope(nonce: Data(nonce), sealed: box.combined, signature: signature)
    }

    func open(_ envelope: Envelope) throws -> Data {
        let publicKey = signing.publicKey
        guard publicKey.isValidSignature(envelope.signature, for: envelope.sealed) else {
            throw SigningError.wrongSignature
        }
        let box = try ChaChaPoly.SealedBox(combined: envelope.sealed)
        return try ChaChaPoly.open(box, using: key)
    }
}

func digest(of text: String) -> String {
    let digest = SHA256.hash(data: Data(text.utf8))
    return digest.map { String(format: "%02x", $0) }.joined()
}

func authenticate(_ message: Data, with key: SymmetricKey) -> Bool {
    let code = HMAC<SHA512>.authenticationCode(for: message, using: key)
    return HMAC<SHA512>.isValidAuthenticationCode(code, authenticating: message, using: key)
}
