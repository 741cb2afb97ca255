//! The module proxies of `GOPROXY`, in order, and when the next one is asked.

use url::Url;

use super::settings::Settings;
use crate::ecosystem::Context;
use crate::ecosystem::python::config::netrc;
use crate::ecosystem::python::files::Files;
use crate::fetch::{Access, Credential, Login, Secret};
use crate::{Ecosystem, Environment, Error, ErrorKind};

/// What is asked for a module.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Proxy(Box<Proxy>),
    /// The repository that the module is kept in, which is not done.
    Direct,
    /// Nobody.
    Off,
}

/// A module proxy.
#[derive(Clone, Debug)]
pub(super) struct Proxy {
    /// Ends with `/`, and holds no credentials.
    pub(super) url: Url,
    pub(super) access: Access,
}

/// An element of the list.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) place: Place,
    /// Whether the next one is asked after any failure, not only when a module is unknown.
    pub(super) goes_on: bool,
}

/// The list that is configured, or that Go itself has built in.
pub(super) async fn list(
    settings: &Settings<'_>,
    context: &Context<'_>,
) -> Result<Vec<Element>, Error> {
    let files = Files::new(context.limits);
    if let Some(set) = settings.get("GOPROXY") {
        return parse(set, context.environment, &files);
    }
    if let Some(set) = context.environment.registry(Ecosystem::Go) {
        return parse(set, context.environment, &files);
    }
    let timeout = context.limits.tool_timeout;
    let said = context.tools.ask("go", &["env", "GOPROXY"], context.environment, timeout).await;
    let said = said.filter(|said| !said.is_empty()).ok_or_else(|| {
        let message = "no Go module proxy is configured, and Go is not there to name one";
        Error::new(ErrorKind::NoRegistry, message)
            .hint("set `GOPROXY`, or put `go` on the path")
            .hint("or set `go = \"https://…\"` below `[registries]` in `docent.toml`")
    })?;
    parse(&said, context.environment, &files)
}

/// Takes a list apart: `https://one,https://two|direct`.
pub(super) fn parse(
    list: &str,
    environment: &Environment,
    files: &Files<'_>,
) -> Result<Vec<Element>, Error> {
    let mut elements = Vec::new();
    for part in list.split_inclusive([',', '|']) {
        let goes_on = part.ends_with('|');
        let written = part.trim_end_matches([',', '|']).trim();
        let place = match written {
            "" => continue,
            "direct" => Place::Direct,
            "off" => Place::Off,
            address => Place::Proxy(Box::new(proxy(address, environment, files)?)),
        };
        let is_last = !matches!(place, Place::Proxy(_));
        elements.push(Element { place, goes_on });
        if is_last {
            break;
        }
    }
    Ok(elements)
}

fn proxy(address: &str, environment: &Environment, files: &Files<'_>) -> Result<Proxy, Error> {
    // The address is not shown: even a broken one may hold a password.
    let invalid =
        |why: &str| Error::new(ErrorKind::NoRegistry, format!("an address in `GOPROXY` {why}"));
    let address =
        if address.contains("://") { address.to_owned() } else { format!("https://{address}") };
    let mut url = Url::parse(&address).map_err(|_| invalid("is not a URL"))?;
    if !matches!(url.scheme(), "https" | "http") || !url.has_host() {
        return Err(invalid("is not one of `https` or `http`, which are all that can be asked"));
    }
    let decoded =
        |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    let user = decoded(url.username());
    let password = decoded(url.password().unwrap_or_default());
    // Neither can fail where there is a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    let login = if user.is_empty() && password.is_empty() {
        // A netrc file is about whole hosts.
        let found = netrc::login(url.host_str().unwrap_or_default(), environment, files);
        found.and_then(|login| Some((url.join("/").ok()?, login)))
    } else {
        Some((url.clone(), (user, password)))
    };
    let logins = login.map(|(scope, (user, password))| Login {
        scope,
        credential: Credential::Basic { user, password: Secret(password) },
    });
    let access = Access { logins: logins.into_iter().collect(), ..Access::default() };
    Ok(Proxy { url, access })
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;
    use crate::Limits;

    #[test]
    fn a_list_has_an_order_and_an_end() {
        let folder = Folder::new();
        folder.write(".netrc", "machine two.example login me password s3cret\n");
        let environment = Environment::isolated(folder.path());
        let limits = Limits::default();
        let shown = |list: &str| -> Result<Vec<String>, Error> {
            let elements = parse(list, &environment, &Files::new(&limits))?;
            let shown = elements.iter().map(|element| {
                let next = if element.goes_on { "|" } else { "" };
                match &element.place {
                    Place::Proxy(proxy) => {
                        format!("{} {}{next}", proxy.url, proxy.access.logins.len())
                    }
                    Place::Direct => "direct".to_owned(),
                    Place::Off => "off".to_owned(),
                }
            });
            Ok(shown.collect())
        };
        let list = "https://user:pw@one.example/go|two.example,direct,https://never.example";
        let expected = ["https://one.example/go/ 1|", "https://two.example/ 1", "direct"];
        assert_eq!(shown(list).unwrap(), expected);
        assert_eq!(shown("off").unwrap(), ["off"]);
        assert!(shown("").unwrap().is_empty());
        let error = shown("https://user:pw@/x").unwrap_err();
        assert!(!error.to_string().contains("pw"), "{error}");
        assert!(shown("file:///proxy").is_err());
    }
}
