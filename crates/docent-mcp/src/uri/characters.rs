//! Sets of ASCII characters, as RFC 3986 and RFC 6570 name them.
//!
//! Read by every other file of this module.

/// A set of ASCII characters, one bit each, in two words because testing one is then quick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Class([u64; 2]);

impl Class {
    pub(super) const fn of(bytes: &[u8]) -> Class {
        let mut set = [0; 2];
        let mut at = 0;
        while at < bytes.len() {
            set[(bytes[at] >> 6) as usize] |= 1 << (bytes[at] & 63);
            at += 1;
        }
        Class(set)
    }

    pub(super) const fn with(self, other: Class) -> Class {
        Class([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }

    pub(super) const fn without(self, other: Class) -> Class {
        Class([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
    }

    pub(super) const fn has(self, byte: u8) -> bool {
        let word = if byte & 64 == 0 { self.0[0] } else { self.0[1] };
        byte < 128 && word >> (byte & 63) & 1 == 1
    }

    pub(super) const fn len(self) -> usize {
        (self.0[0].count_ones() + self.0[1].count_ones()) as usize
    }

    /// How many members are smaller than `byte`: a dense index for tables over the members.
    pub(super) const fn rank(self, byte: u8) -> usize {
        let below = (1 << (byte & 63)) - 1;
        if byte & 64 == 0 {
            (self.0[0] & below).count_ones() as usize
        } else {
            (self.0[0].count_ones() + (self.0[1] & below).count_ones()) as usize
        }
    }
}

/// Characters that mean themselves everywhere in a URI.
pub(super) const UNRESERVED: Class =
    Class::of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~");

/// Characters that may separate the parts of a URI.
pub(super) const RESERVED: Class = Class::of(b":/?#[]@!$&'()*+,;=");

/// Everything that may stand in a URI; `%` only as the start of an escape.
pub(super) const URI: Class = UNRESERVED.with(RESERVED).with(Class::of(b"%"));

/// What one path segment may hold.
pub(super) const SEGMENT: Class = URI.without(Class::of(b"/?#"));

/// Whether RFC 6570 lets a character beyond ASCII stand in the literal text of a template. Not
/// among them: control characters, noncharacters and the invisible tag characters.
pub(super) fn is_literal_beyond_ascii(character: char) -> bool {
    match u32::from(character) {
        0xA0..=0xD7FF | 0xE000..=0xFDCF | 0xFDF0..=0xFFEF => true,
        0xE0000..=0xE0FFF => false,
        code @ 0x1_0000.. => code & 0xFFFF <= 0xFFFD,
        _ => false,
    }
}
