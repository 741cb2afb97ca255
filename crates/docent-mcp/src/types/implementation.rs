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
}
