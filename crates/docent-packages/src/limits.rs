//! Every limit of the engine, in one place.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How large, how many and how long: what the engine accepts before it refuses with
/// [`crate::ErrorKind::LimitExceeded`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one metadata document, after decompression.
    pub metadata_bytes_max: u64,
    /// Bytes of one downloaded artifact.
    pub download_bytes_max: u64,
    /// Time for one request, redirects and body included.
    pub download_timeout: Duration,
    /// Time without a byte before a request is given up.
    pub stall_timeout: Duration,
    /// Redirects followed for one request.
    pub redirects_max: u32,
    /// Further attempts after a failure that deserves one.
    pub retries_max: u32,
    /// The longest wait that a server's `Retry-After` can ask for.
    pub retry_after_max: Duration,
    /// Requests under way at once.
    pub requests_max: usize,
    /// Bytes of all files of one archive, unpacked.
    pub unpacked_bytes_max: u64,
    /// Bytes of an archive's files that are held in memory; of a larger zip archive, each file is
    /// unpacked when it is read.
    pub held_bytes_max: u64,
    /// Entries of one archive, or files of one installed package.
    pub entries_max: u64,
    /// Bytes of one file.
    pub file_bytes_max: u64,
    /// Unpacked bytes for each packed one, once `unpack_ratio_free_bytes` are out.
    pub unpack_ratio_max: u64,
    /// Unpacked bytes that are free of `unpack_ratio_max`.
    pub unpack_ratio_free_bytes: u64,
    /// Bytes of one path inside a package.
    pub path_bytes_max: usize,
    /// Nesting of brackets, blocks, tags and lists in a file that is parsed.
    pub nesting_max: usize,
    /// Processor time of one worker process.
    pub worker_cpu: Duration,
    /// Wall time of one worker process.
    pub worker_timeout: Duration,
    /// Bytes of what a worker process may answer.
    pub extraction_bytes_max: u64,
    /// Address space of one worker process, in bytes.
    pub worker_memory_bytes: u64,
    /// Worker processes at once.
    pub workers_max: usize,
    /// Items taken from one package.
    pub items_max: usize,
    /// Bytes of the sources of one Go module that are read at once; of a larger one, one package is,
    /// and the others are listed.
    pub module_source_bytes_max: u64,
    /// Files of prose read from one package, the most important ones first.
    pub prose_files_max: usize,
    /// Bytes of prose read from one package.
    pub prose_bytes_max: u64,
    /// Bytes of one piece of prose; a longer section is split between its paragraphs. Only code
    /// that is whole may make a piece longer, up to four times.
    pub chunk_bytes_max: usize,
    /// Other packages whose files are read to follow one package's re-exports.
    pub companions_max: usize,
    /// Bytes the cache folder may hold.
    pub cache_bytes_max: u64,
    /// Package versions kept ready in memory.
    pub loaded_packages_max: usize,
    /// Bytes of what is kept ready in memory, indexes not counted; the one that was used last is kept
    /// whatever its size.
    pub loaded_bytes_max: u64,
    /// Bytes of one configuration file or lockfile.
    pub config_bytes_max: u64,
    /// Time for one question to an ecosystem's own tool.
    pub tool_timeout: Duration,
    /// Bytes of code that is checked.
    pub code_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: u64 = 1 << 20;
        Self {
            metadata_bytes_max: 64 * MIB,
            download_bytes_max: 64 * MIB,
            download_timeout: Duration::from_secs(60),
            stall_timeout: Duration::from_secs(15),
            redirects_max: 5,
            retries_max: 3,
            retry_after_max: Duration::from_secs(10),
            requests_max: 8,
            unpacked_bytes_max: 512 * MIB,
            held_bytes_max: 128 * MIB,
            entries_max: 50_000,
            file_bytes_max: 32 * MIB,
            unpack_ratio_max: 200,
            unpack_ratio_free_bytes: MIB,
            path_bytes_max: 1024,
            nesting_max: 256,
            worker_cpu: Duration::from_secs(10),
            worker_timeout: Duration::from_secs(20),
            extraction_bytes_max: 128 * MIB,
            worker_memory_bytes: 512 * MIB,
            workers_max: 2,
            items_max: 200_000,
            module_source_bytes_max: 40 * MIB,
            prose_files_max: 1_000,
            prose_bytes_max: 8 * MIB,
            chunk_bytes_max: 6 * 1024,
            companions_max: 48,
            cache_bytes_max: 5 * 1024 * MIB,
            loaded_packages_max: 32,
            loaded_bytes_max: 48 * MIB,
            config_bytes_max: 64 * MIB,
            tool_timeout: Duration::from_secs(10),
            code_bytes_max: 1 << 20,
        }
    }
}
