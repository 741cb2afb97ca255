//! Just enough of RFC 3986 to name schemas inside one document.
//!
//! Fed by `$id` and `$ref`. Feeds `document`, which looks the resolved name up among the
//! schemas of the same document. A URI is a name here and never an address: nothing in this
//! module opens anything.

/// Splits `#fragment` off a reference. No `#` and an empty fragment are the same.
pub(super) fn split_fragment(reference: &str) -> (&str, &str) {
    reference.split_once('#').unwrap_or((reference, ""))
}

/// Resolves `reference` (without fragment) against `base`, RFC 3986 section 5.2.
pub(super) fn resolve(base: &str, reference: &str) -> String {
    let to = Parts::of(reference);
    let from = Parts::of(base);
    if to.scheme.is_some() {
        return Parts { path: &remove_dots(to.path), ..to }.join();
    }
    if to.authority.is_some() {
        return Parts { scheme: from.scheme, path: &remove_dots(to.path), ..to }.join();
    }
    if to.path.is_empty() {
        return Parts { query: to.query.or(from.query), ..from }.join();
    }
    let path = if to.path.starts_with('/') {
        remove_dots(to.path)
    } else if from.authority.is_some() && from.path.is_empty() {
        remove_dots(&format!("/{}", to.path))
    } else {
        let folder = from.path.rfind('/').map_or("", |slash| &from.path[..=slash]);
        remove_dots(&format!("{folder}{}", to.path))
    };
    Parts { path: &path, query: to.query, ..from }.join()
}

/// Undoes `%41` escapes; `None` when the bytes are not UTF-8 or an escape is broken.
pub(super) fn percent_decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let high = char::from(bytes.next()?).to_digit(16)?;
            let low = char::from(bytes.next()?).to_digit(16)?;
            out.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

#[derive(Clone, Copy)]
struct Parts<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Self {
        let (text, query) = match text.split_once('?') {
            Some((text, query)) => (text, Some(query)),
            None => (text, None),
        };
        let (scheme, rest) = match text.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
            _ => (None, text),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => {
                let end = rest.find('/').unwrap_or(rest.len());
                (Some(&rest[..end]), &rest[end..])
            }
            None => (None, rest),
        };
        Self { scheme, authority, path, query }
    }

    fn join(self) -> String {
        let mut out = String::new();
        if let Some(scheme) = self.scheme {
            out.push_str(scheme);
            out.push(':');
        }
        if let Some(authority) = self.authority {
            out.push_str("//");
            out.push_str(authority);
        }
        out.push_str(self.path);
        if let Some(query) = self.query {
            out.push('?');
            out.push_str(query);
        }
        out
    }
}

/// Whether `text` can be the part of a URI before its first colon.
pub(super) fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

/// Removes `.` and `..` segments.
fn remove_dots(path: &str) -> String {
    if !path.split('/').any(|segment| matches!(segment, "." | "..")) {
        return path.to_owned();
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                // The first, empty segment of an absolute path is not a folder to leave.
                if segment == ".." && kept.len() > usize::from(path.starts_with('/')) {
                    kept.pop();
                }
                if last {
                    kept.push("");
                }
            }
            _ => kept.push(segment),
        }
    }
    kept.join("/")
}

#[cfg(test)]
mod tests {
    use super::{percent_decode, resolve};

    #[test]
    fn references_resolve_as_rfc_3986_says() {
        let base = "http://a/b/c/d;p?q";
        let table = [
            (base, "g:h", "g:h"),
            (base, "g", "http://a/b/c/g"),
            (base, "./g/", "http://a/b/c/g/"),
            (base, "/g", "http://a/g"),
            (base, "//g", "http://g"),
            (base, "?y", "http://a/b/c/d;p?y"),
            (base, "", "http://a/b/c/d;p?q"),
            (base, "..", "http://a/b/"),
            (base, "../../g", "http://a/g"),
            (base, "../../../g", "http://a/g"),
            ("", "item.json", "item.json"),
            ("http://a", "b", "http://a/b"),
            ("urn:example:root", "", "urn:example:root"),
            ("urn:example:root", "urn:example:leaf", "urn:example:leaf"),
        ];
        for (base, reference, expected) in table {
            assert_eq!(resolve(base, reference), expected, "{reference} against {base}");
        }
    }

    #[test]
    fn percent_escapes_decode() {
        assert_eq!(percent_decode("a%25b%C3%A9").as_deref(), Some("a%bé"));
        for broken in ["%", "%4", "%zz", "%ff"] {
            assert_eq!(percent_decode(broken), None, "{broken}");
        }
    }
}
