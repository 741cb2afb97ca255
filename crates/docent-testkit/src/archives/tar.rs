//! Writes tar archives in which every field can be made to lie.

/// The size of everything in a tar archive.
pub const BLOCK: usize = 512;

/// One header and the data after it.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name field, cut to its length.
    pub name: Vec<u8>,
    /// The type: `b'0'` a file, `b'5'` a folder, `b'2'` a symbolic link.
    pub kind: u8,
    /// The data, padded when it is written.
    pub data: Vec<u8>,
    /// The size field, instead of the length of the data.
    pub size: Option<[u8; 12]>,
    /// The target of a link.
    pub link: Vec<u8>,
    /// The mode.
    pub mode: u32,
    /// Magic and version.
    pub magic: [u8; 8],
    /// The prefix of the name.
    pub prefix: Vec<u8>,
    /// Bytes to put at a place in the header before its checksum is made.
    pub patch: Vec<(usize, Vec<u8>)>,
    /// Added to the checksum.
    pub checksum_error: u32,
}

impl Member {
    /// An entry of any type without data.
    #[must_use]
    pub fn of(kind: u8, name: impl AsRef<[u8]>) -> Self {
        Self {
            name: name.as_ref().to_owned(),
            kind,
            data: Vec::new(),
            size: None,
            link: Vec::new(),
            mode: 0o644,
            magic: *b"ustar\x0000",
            prefix: Vec::new(),
            patch: Vec::new(),
            checksum_error: 0,
        }
    }

    /// A file.
    #[must_use]
    pub fn file(name: impl AsRef<[u8]>, data: impl AsRef<[u8]>) -> Self {
        Self { data: data.as_ref().to_owned(), ..Self::of(b'0', name) }
    }

    /// A folder.
    #[must_use]
    pub fn folder(name: impl AsRef<[u8]>) -> Self {
        Self { mode: 0o755, ..Self::of(b'5', name) }
    }

    /// A symbolic link.
    #[must_use]
    pub fn symlink(name: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> Self {
        Self { link: target.as_ref().to_owned(), ..Self::of(b'2', name) }
    }

    /// A hard link.
    #[must_use]
    pub fn hardlink(name: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> Self {
        Self { link: target.as_ref().to_owned(), ..Self::of(b'1', name) }
    }

    /// A PAX header (`b'x'`, or `b'g'` for all that follows) with well-formed records.
    #[must_use]
    pub fn pax(kind: u8, records: &[(&str, &str)]) -> Self {
        let data: String = records.iter().map(|(key, value)| record(key, value)).collect();
        Self { data: data.into_bytes(), ..Self::of(kind, "PaxHeader/x") }
    }

    /// GNU's header for a long name.
    #[must_use]
    pub fn long_name(name: impl AsRef<[u8]>) -> Self {
        let data = [name.as_ref(), b"\0"].concat();
        Self { data, magic: *b"ustar  \0", ..Self::of(b'L', "././@LongLink") }
    }

    /// The same with another size field.
    #[must_use]
    pub fn sized(self, size: impl AsRef<[u8]>) -> Self {
        let mut field = [0; 12];
        put(&mut field, size.as_ref());
        Self { size: Some(field), ..self }
    }

    /// The same with some bytes of the header replaced.
    #[must_use]
    pub fn patched(mut self, at: usize, bytes: impl AsRef<[u8]>) -> Self {
        self.patch.push((at, bytes.as_ref().to_owned()));
        self
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        put(&mut block[..100], &self.name);
        put(&mut block[100..108], format!("{:07o}\0", self.mode).as_bytes());
        put(&mut block[108..116], b"0000000\0");
        put(&mut block[116..124], b"0000000\0");
        let size = format!("{:011o}\0", self.data.len());
        put(&mut block[124..136], self.size.as_ref().map_or(size.as_bytes(), |size| size));
        put(&mut block[136..148], b"00000000000\0");
        block[156] = self.kind;
        put(&mut block[157..257], &self.link);
        put(&mut block[257..265], &self.magic);
        put(&mut block[345..500], &self.prefix);
        for (at, bytes) in &self.patch {
            put(&mut block[*at..], bytes);
        }
        block[148..156].fill(b' ');
        let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
        let sum = format!("{:06o}\0 ", sum + self.checksum_error);
        put(&mut block[148..156], sum.as_bytes());
        block
    }
}

fn put(field: &mut [u8], bytes: &[u8]) {
    let length = field.len().min(bytes.len());
    field[..length].copy_from_slice(&bytes[..length]);
}

/// One PAX record, whose length counts itself.
#[must_use]
pub fn record(key: &str, value: &str) -> String {
    let rest = key.len() + value.len() + 3;
    let mut length = rest + 1;
    while length != rest + length.to_string().len() {
        length = rest + length.to_string().len();
    }
    format!("{length} {key}={value}\n")
}

/// Members one after another, without an end.
#[must_use]
pub fn members(members: &[Member]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for member in members {
        bytes.extend_from_slice(&member.header());
        bytes.extend_from_slice(&member.data);
        bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
    }
    bytes
}

/// A whole archive.
#[must_use]
pub fn archive(list: &[Member]) -> Vec<u8> {
    let mut bytes = members(list);
    bytes.resize(bytes.len() + 2 * BLOCK, 0);
    bytes
}
