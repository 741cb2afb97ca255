//! Whether a string is a URI, and whether a string can name one file.
//!
//! Fed by requests and registrations, before anything is looked up. Checks what RFC 3986 says
//! about every URI; what a scheme adds (hosts, ports) is left to whoever serves the scheme.

use super::UriLimits;
use super::characters::URI;
use super::error::{UriError, UriProblem};
use super::escape::starts_with_escape;

/// Checks the syntax of a URI within the default [`UriLimits`].
///
/// It must start with a scheme and a colon, hold only characters that RFC 3986 allows (no
/// spaces, no control characters, nothing beyond ASCII), escape with `%` and two hexadecimal
/// digits, and have at most one `#`.
///
/// ```
/// use docent_mcp::uri::check_uri;
///
/// assert!(check_uri("docs://serde/1.0/de?item=Visitor").is_ok());
/// assert!(check_uri("urn:isbn:0451450523").is_ok());
/// for wrong in ["", "serde/1.0", "docs://a b", "docs://%zz", "docs://ü"] {
///     assert!(check_uri(wrong).is_err());
/// }
/// ```
pub fn check_uri(uri: &str) -> Result<(), UriError> {
    check_uri_within(uri, &UriLimits::default())
}

/// Checks the syntax of a URI within the given limits; see [`check_uri`].
pub fn check_uri_within(uri: &str, limits: &UriLimits) -> Result<(), UriError> {
    let max = limits.uri_bytes_max;
    if uri.len() > max {
        return Err(UriError(UriProblem::TooLong { max }));
    }
    if scheme(uri).is_none() {
        return Err(UriError(UriProblem::NoScheme));
    }
    let mut has_fragment = false;
    for (position, found) in uri.char_indices() {
        let problem = match found {
            '%' if !starts_with_escape(&uri.as_bytes()[position..]) => {
                UriProblem::BrokenEscape { position }
            }
            '#' if std::mem::replace(&mut has_fragment, true) => {
                UriProblem::SecondFragment { position }
            }
            _ if u8::try_from(found).is_ok_and(|byte| URI.has(byte)) => continue,
            _ => UriProblem::Character { position, found },
        };
        return Err(UriError(problem));
    }
    Ok(())
}

/// The scheme of a URI, without the colon.
pub(super) fn scheme(uri: &str) -> Option<&str> {
    let (scheme, _) = uri.split_once(':')?;
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let is_scheme =
        scheme.starts_with(|first: char| first.is_ascii_alphabetic()) && scheme.bytes().all(legal);
    is_scheme.then_some(scheme)
}

/// Whether decoded text can be joined to a folder and name something directly inside it: not
/// empty, not `.` or `..`, and without `/`, `\`, NUL and other control characters (on Windows
/// also without `:`, which names drives and streams).
///
/// ```
/// use docent_mcp::uri::is_safe_segment;
///
/// assert!(is_safe_segment("v1..v2 draft.md"));
/// for hostile in ["", ".", "..", "a/b", "..\\b", "a\0.txt", "a\nb"] {
///     assert!(!is_safe_segment(hostile));
/// }
/// ```
pub fn is_safe_segment(segment: &str) -> bool {
    let unsafe_character = |found: char| {
        matches!(found, '/' | '\\') || found.is_control() || cfg!(windows) && found == ':'
    };
    !matches!(segment, "" | "." | "..") && !segment.contains(unsafe_character)
}

#[cfg(test)]
mod tests {
    use super::{check_uri, check_uri_within};
    use crate::uri::UriLimits;

    #[test]
    fn uris_are_told_from_other_strings() {
        for (uri, expected) in [
            ("file:///a/b.txt", ""),
            ("a:", ""),
            ("a+b-c.9://x", ""),
            ("mailto:me@example.com", ""),
            ("https://[::1]:80/a;b=c,d?e=f&g=/?#h!$'()*+", ""),
            ("x:%20%c3%A9", ""),
            ("", "no scheme"),
            ("a", "no scheme"),
            ("/a:b", "no scheme"),
            (":a", "no scheme"),
            ("9a:b", "no scheme"),
            ("+a:b", "no scheme"),
            ("a_b:c", "no scheme"),
            (" a:b", "no scheme"),
            ("é:b", "no scheme"),
            ("a: b", "byte 2: ' '"),
            ("a:b\n", "byte 3: '\\n'"),
            ("a:\0", "byte 2: '\\0'"),
            ("a:\u{7f}", "byte 2: '\\u{7f}'"),
            ("a:é", "byte 2: 'é'"),
            ("a:\u{200b}", "byte 2: '\\u{200b}'"),
            ("a:b\\c", "byte 3: '\\\\'"),
            ("a:{b}", "byte 2: '{'"),
            ("a:\"", "byte 2: '\"'"),
            ("a:<b>", "byte 2: '<'"),
            ("a:b|c^`", "byte 3: '|'"),
            ("a:%", "byte 2: `%`"),
            ("a:%4", "byte 2: `%`"),
            ("a:%4g", "byte 2: `%`"),
            ("a:%%41", "byte 2: `%`"),
            ("a:b#c#d", "byte 5: a second `#`"),
        ] {
            let found = check_uri(uri).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(found.starts_with(expected), "{uri:?}: {found}");
            assert_eq!(found.is_empty(), expected.is_empty(), "{uri:?}: {found}");
        }
    }

    #[test]
    fn length_is_limited_exactly() {
        let limits = UriLimits { uri_bytes_max: 10, ..UriLimits::default() };
        assert!(check_uri_within("a:45678910", &limits).is_ok());
        let error = check_uri_within("a:456789101", &limits).unwrap_err();
        assert_eq!(error.to_string(), "longer than 10 bytes");
    }
}
