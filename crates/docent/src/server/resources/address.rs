//! Addresses of documents.

use docent_packages::PackageRef;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What stands for itself in an address; the names of packages and files keep their slashes.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/')
    .remove(b'@')
    .remove(b':')
    .remove(b'+');

/// The address of a package's overview.
pub(crate) fn overview(package: &PackageRef) -> String {
    format!("{}/overview", base(package))
}

/// The address of one of its guides.
pub(super) fn guide(package: &PackageRef, file: &str) -> String {
    format!("{}/guide/{}", base(package), utf8_percent_encode(file, ESCAPED))
}

/// The beginning of all addresses of a package.
pub(super) fn base(package: &PackageRef) -> String {
    let encoded = |text: &str| utf8_percent_encode(text, ESCAPED).to_string();
    let version = package.version.as_deref().unwrap_or_default();
    format!("docs://{}/{}@{}", package.ecosystem, encoded(&package.name), encoded(version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_can_be_read_and_typed() {
        let check = |reference: &str, expected: &str| {
            assert_eq!(overview(&reference.parse().unwrap()), expected);
        };
        check("npm:@scope/name@1.0.0", "docs://npm/@scope/name@1.0.0/overview");
        check("go:example.org/x/v2@v2.1.0", "docs://go/example.org/x/v2@v2.1.0/overview");
    }
}
