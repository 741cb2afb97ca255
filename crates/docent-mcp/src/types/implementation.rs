//! Who is speaking: the name and version of a client or server, and the icons it may show.

use super::choice::choice;
use super::wire::wire;

wire! {
    /// The name and version of a client or a server.
    pub struct Implementation {
        /// The name that programs use.
        req name: String = "name",
        /// The name that people read.
        opt title: String = "title" [since V2025_06_18],
        /// The version of the program. A peer that leaves it out is given an empty one.
        def version: String = "version",
        /// What it does, for people.
        opt description: String = "description" [since V2025_11_25],
        /// Where to read more.
        opt website_url: String = "websiteUrl" [since V2025_11_25],
        /// Pictures for a user interface.
        list icons: Icon = "icons" [since V2025_11_25],
    }

    /// A picture that a user interface may show beside a name.
    pub struct Icon {
        /// An `https:` or `data:` URI. Never fetched by this crate.
        req src: String = "src",
        /// The media type, when the source does not tell.
        opt mime_type: String = "mimeType",
        /// The sizes it is made for: `48x48`, or `any`.
        list sizes: String = "sizes",
        /// The background it is made for.
        opt theme: IconTheme = "theme",
    }
}

choice! {
    /// The background an icon is made for.
    pub open enum IconTheme {
        /// A light background.
        #[default]
        Light = "light",
        /// A dark background.
        Dark = "dark",
    }
}

impl Implementation {
    /// A name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Implementation { name: name.into(), version: version.into(), ..Default::default() }
    }
}

impl Icon {
    /// An icon at a URI.
    pub fn new(src: impl Into<String>) -> Self {
        Icon { src: src.into(), ..Default::default() }
    }

    /// Whether a client may show the icon at all: it is at an `https:` address without a user name
    /// or password, or holds its picture itself, as `data:` of an image type.
    ///
    /// Whoever fetches one must send no credentials and follow no redirect that leaves `https:`.
    /// What comes may still be anything: show only image types you know, by their content.
    ///
    /// ```
    /// use docent_mcp::types::Icon;
    ///
    /// assert!(Icon::new("https://example.com/icon.png").is_safe());
    /// assert!(Icon::new("data:image/png;base64,iVBORw0KGgo=").is_safe());
    /// assert!(!Icon::new("http://example.com/icon.png").is_safe());
    /// assert!(!Icon::new("javascript:alert(1)").is_safe());
    /// ```
    pub fn is_safe(&self) -> bool {
        let scheme = |name: &str| {
            let (start, rest) = self.src.split_at_checked(name.len())?;
            start.eq_ignore_ascii_case(name).then_some(rest)
        };
        // Characters that no URI has and that programs read differently.
        if self.src.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
            return false;
        }
        if let Some(rest) = scheme("https://") {
            let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
            return !authority.is_empty()
                && !authority.starts_with(':')
                && !authority.contains('@');
        }
        let is_image = |rest: &str| {
            rest.get(..6).is_some_and(|kind| kind.eq_ignore_ascii_case("image/"))
                && rest.contains(',')
        };
        scheme("data:").is_some_and(is_image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [CLI-ICON-01] only `https:` without credentials, and images in `data:`
    #[test]
    fn which_icons_may_be_shown() {
        for (src, safe) in [
            ("https://example.com/icon.png", true),
            ("HTTPS://example.com", true),
            ("https://example.com:8443/a@b?c@d#e", true),
            ("data:image/png;base64,AAAA", true),
            ("DATA:Image/svg+xml,%3Csvg/%3E", true),
            ("http://example.com/icon.png", false),
            ("https://user@example.com/icon.png", false),
            ("https://user:secret@example.com/icon.png", false),
            ("https://", false),
            ("https:///icon.png", false),
            ("https://:443/icon.png", false),
            ("https:example.com", false),
            ("https://example.com\\@evil.example", false),
            ("https://exa mple.com", false),
            ("https://example.com/\n", false),
            ("data:text/html,<script>", false),
            ("data:image/png", false),
            ("data:,", false),
            ("javascript:alert(1)", false),
            ("file:///etc/passwd", false),
            ("ftp://example.com/icon.png", false),
            ("//example.com/icon.png", false),
            ("icon.png", false),
            ("é", false),
            ("", false),
        ] {
            assert_eq!(Icon::new(src).is_safe(), safe, "{src:?}");
        }
    }
}
