//! The dialect of INI files that pip and setuptools read.

/// Section, key and value, in the order of the file.
pub(crate) type Settings = Vec<(String, String, String)>;

/// Reads sections of `key = value`; an indented line continues the value before it.
pub(crate) fn parse(text: &str) -> Settings {
    let mut settings = Settings::new();
    let mut section = String::new();
    let mut continues = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with([' ', '\t'])
            && continues
            && let Some((_, _, value)) = settings.last_mut()
        {
            value.push('\n');
            value.push_str(trimmed);
            continue;
        }
        if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.trim().clone_into(&mut section);
            continues = false;
            continue;
        }
        continues = false;
        if let Some((key, value)) = trimmed.split_once(['=', ':']) {
            // pip takes `index_url` for `index-url`.
            let key = key.trim().to_ascii_lowercase().replace('_', "-");
            let key = key.trim_start_matches("--").to_owned();
            settings.push((section.clone(), key, value.trim().to_owned()));
            continues = true;
        }
    }
    settings
}

/// The last value of a key, whose name is written with `-`.
pub(crate) fn value<'a>(settings: &'a Settings, section: &str, key: &str) -> Option<&'a str> {
    let mut from_last = settings.iter().rev();
    from_last.find(|row| row.0 == section && row.1 == key).map(|row| row.2.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_comments_and_continuations() {
        let text = "\
top = 1
; a comment
[global]
index_url=https://a.example/simple   
extra-index-url =
    https://b.example/simple
    # inside
    https://c.example/simple
[ install ]
No-Index : yes
[broken
no value
";
        let settings = parse(text);
        let get = |section, key| value(&settings, section, key);
        assert_eq!(get("", "top"), Some("1"));
        assert_eq!(get("global", "index-url"), Some("https://a.example/simple"));
        let extra = "\nhttps://b.example/simple\nhttps://c.example/simple";
        assert_eq!(get("global", "extra-index-url"), Some(extra));
        assert_eq!(get("install", "no-index"), Some("yes"));
        assert_eq!(settings.len(), 4);
    }
}
