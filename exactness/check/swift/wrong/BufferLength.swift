// invented: readableByteCount; right: readableBytes
import NIOCore

func lines(in text: String) -> Int {
    var buffer = ByteBuffer(string: text)
    buffer.writeString("\n")
    return buffer.readableByteCount
}
