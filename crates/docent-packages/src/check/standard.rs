//! What the traits of Rust's standard library have: any type may have it, whoever wrote the type.

/// The crates that come with the compiler.
pub(super) fn is_crate(name: &str) -> bool {
    matches!(name, "std" | "core" | "alloc" | "proc_macro" | "test")
}

/// Whether a trait of the standard library has a member of that name.
pub(super) fn is_member(name: &str) -> bool {
    MEMBERS.iter().any(|line| line.split(' ').any(|known| known == name))
}

/// One line for each group of traits.
const MEMBERS: &[&str] = &[
    // Clone, Default, Drop, From, Into, AsRef, Borrow, ToOwned, ToString, FromStr
    "clone clone_from default drop from into try_from try_into Error as_ref as_mut borrow borrow_mut",
    "to_owned clone_into Owned to_string from_str Err as_str",
    // PartialEq, PartialOrd, Ord, Hash, Hasher, BuildHasher
    "eq ne partial_cmp lt le gt ge cmp max min clamp hash hash_slice finish write_u8 write_u16 write_u32",
    "write_u64 write_u128 write_usize write_i8 write_i16 write_i32 write_i64 write_i128 write_isize",
    "write_length_prefix write_str build_hasher hash_one Hasher",
    // Any, Error, Display and the like, fmt::Write
    "type_id source description cause provide fmt write_char write_fmt",
    // Iterator and its kin
    "next size_hint count last advance_by nth step_by chain zip intersperse intersperse_with map for_each",
    "filter filter_map enumerate peekable skip_while take_while map_while skip take scan flat_map",
    "flatten map_windows fuse inspect by_ref collect try_collect collect_into partition",
    "partition_in_place is_partitioned try_fold try_for_each fold reduce try_reduce all any find",
    "find_map try_find position rposition max_by_key max_by min_by_key min_by rev unzip copied cloned",
    "cycle array_chunks sum product cmp_by partial_cmp_by eq_by is_sorted is_sorted_by is_sorted_by_key",
    "next_chunk next_back advance_back_by nth_back try_rfold rfold rfind len is_empty into_iter IntoIter",
    "Item from_iter extend extend_one extend_reserve",
    // Operators
    "add sub mul div rem neg not bitand bitor bitxor shl shr add_assign sub_assign mul_assign div_assign",
    "rem_assign bitand_assign bitor_assign bitxor_assign shl_assign shr_assign Output index index_mut",
    "deref deref_mut Target call call_mut call_once start_bound end_bound contains branch from_output",
    "from_residual Residual",
    // Read, Write, BufRead, Seek
    "read read_vectored is_read_vectored read_to_end read_to_string read_exact read_buf read_buf_exact",
    "bytes Read read_array write write_vectored is_write_vectored flush write_all write_all_vectored",
    "fill_buf consume has_data_left read_until skip_until read_line split lines seek rewind stream_len",
    "stream_position seek_relative is_terminal",
    // Future, Wake, Termination, ToSocketAddrs
    "poll into_future IntoFuture wake wake_by_ref report to_socket_addrs Iter",
    // Slices and strings
    "concat join Separator to_ascii_uppercase to_ascii_lowercase eq_ignore_ascii_case is_ascii",
    "make_ascii_uppercase make_ascii_lowercase get get_mut get_unchecked get_unchecked_mut",
    // What operating systems add
    "as_raw_fd from_raw_fd into_raw_fd as_fd as_raw_handle from_raw_handle into_raw_handle as_handle",
    "as_raw_socket from_raw_socket into_raw_socket as_socket mode set_mode from_mode custom_flags dev ino",
    "nlink uid gid rdev size atime atime_nsec mtime mtime_nsec ctime ctime_nsec blksize blocks st_dev",
    "st_ino st_mode st_nlink st_uid st_gid st_rdev st_size st_atime st_mtime st_ctime is_block_device",
    "is_char_device is_fifo is_socket read_at write_at read_exact_at write_all_at seek_read seek_write",
    "as_bytes from_bytes into_vec from_vec exec pre_exec before_exec arg0 process_group groups chroot",
    "from_raw signal core_dumped stopped_signal continued into_raw as_pthread_t into_pthread_t ino",
    "file_name_ref encode_wide from_wide creation_flags raw_arg access_mode share_mode attributes",
    "security_qos_flags file_attributes creation_time last_access_time last_write_time file_size",
    "parent_id pidfd into_pidfd create_pidfd",
    // Allocators, SIMD and others that are rare
    "allocate deallocate alloc dealloc realloc alloc_zeroed grow shrink as_slice as_any downcast",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_whole_words() {
        assert!(is_member("read_to_string") && is_member("clone") && is_member("parent_id"));
        assert!(!is_member("read_to") && !is_member("") && !is_member("gen_range"));
    }
}
