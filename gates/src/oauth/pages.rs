//! What a browser would be opened with (mcp-remote, CVE-2025-6514): only http and https, as the one
//! argument of one program, never through a shell.

use std::path::{Path, PathBuf};
use std::time::Duration;

use docent_mcp::AuthLimits;
use docent_mcp::auth::{Browser, OAuth};
use docent_testkit::folder::Folder;
use serde_json::json;

use super::Attacks;
use crate::Result;
use crate::exec::recorder;
use crate::realm::{ISSUER, Realm};

pub(super) async fn attack(attacks: &mut Attacks) -> Result<()> {
    let folder = Folder::new();
    let opener = recorder::install_one(folder.path(), "xdg-open")?;
    let long = format!("{{base}}/{}", "x".repeat(64 << 10));
    for (name, page, why) in [
        ("page: a script", "javascript:alert(1)", "not javascript:"),
        ("page: a file", "file:///etc/passwd", "not file:"),
        ("page: a command", "$(id)", "no address"),
        ("page: an option", "--no-sandbox", "no address"),
        ("page: line ends", "{base}/authorize\r\nx: y", "line ends"),
        ("page: 64 KB", long.as_str(), "longer than"),
    ] {
        let realm = Realm::start().await?;
        realm.field(ISSUER, "authorization_endpoint", json!(page));
        attacks.refused(name, why, realm.connect(login(&opener)).await);
    }
    let opened = opened(&opener).await;
    attacks.besides("pages: programs started", opened.is_empty(), &format!("{opened:?}"));
    // What is http may hold anything, and stays one argument.
    let realm = Realm::start().await?;
    let odd = "{base}/authorize?x=$(id)&y=`id`;z=\"'|\\&c=%0d%0a";
    realm.field(ISSUER, "authorization_endpoint", json!(odd));
    let waited = realm.connect(login(&opener)).await.err().unwrap_or_default();
    let opened = self::opened(&opener).await;
    let one = opened.len() == 1
        && opened[0].starts_with("recorded exec(\"xdg-open\", [\"http://127.0.0.1:")
        && !opened[0].contains("\", \"");
    let said = format!("{waited}; {:?}", opened.first());
    attacks.held("page: shell words in an http address", one, &said);
    Ok(())
}

fn login(opener: &PathBuf) -> OAuth {
    let login_timeout = Duration::from_millis(1500);
    let limits = AuthLimits { login_timeout, ..AuthLimits::default() };
    OAuth::user("gate").visit(Browser::program(opener)).limits(limits)
}

/// Every start of the opener that was noted.
async fn opened(opener: &Path) -> Vec<String> {
    let text = tokio::fs::read_to_string(opener.with_extension("record")).await;
    text.unwrap_or_default().lines().map(str::to_owned).collect()
}
