//! From an index as written to one that can be asked: its address, and who one is there.

use url::Url;

use super::{Declared, Index, Layer, netrc};
use crate::ecosystem::python::files::Files;
use crate::fetch::{Access, Authority, Credential, Identity, Login, Pem, Secret, Shown};
use crate::{Environment, Error, ErrorKind};

/// Checks an address and takes the credentials out of it.
pub(crate) fn index(
    declared: &Declared,
    layers: &[Layer],
    environment: &Environment,
    files: &Files<'_>,
) -> Result<Index, Error> {
    // The address is not shown: even a broken one may hold a password.
    let which = declared.name.as_ref().map_or_else(
        || "a Python package index".to_owned(),
        |name| format!("the Python package index `{}`", name.escape_debug()),
    );
    let invalid =
        |why: &str| Error::new(ErrorKind::NoRegistry, format!("the address of {which} {why}"));
    let parsed = Url::parse(&declared.url).ok();
    let mut url = parsed.filter(|url| !has_variable(url)).ok_or_else(|| {
        let hint = "variables in a project's files are not filled in; `PIP_INDEX_URL`, \
                    `PIP_EXTRA_INDEX_URL` or `pip.conf` can hold the whole address";
        invalid("is not a URL").hint(hint)
    })?;
    if !matches!(url.scheme(), "https" | "http") || url.host_str().is_none() {
        return Err(invalid("is not one of `https` or `http`, which are all that can be asked"));
    }
    let in_address = user_info(&url);
    // Neither can fail where there is a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    // A variable that was not filled in is no credential.
    let in_address =
        in_address.filter(|(user, password)| !format!("{user}{password}").contains("${"));
    let trusts = |of_project: bool| {
        let layers = layers.iter().filter(|layer| layer.of_project == of_project);
        layers.flat_map(|layer| &layer.trusted).any(|host| is_host(&url, host))
    };
    // A project that turns the check of certificates off hears nothing that is not its own.
    let exposed = trusts(true) && !trusts(false);
    let known = in_address.or_else(|| declared.login.clone().filter(|_| !exposed));
    let login = known.map(|login| (scope(&url), login)).or_else(|| {
        // A netrc file is about whole hosts.
        let login = netrc::login(url.host_str()?, environment, files).filter(|_| !exposed)?;
        Some((url.join("/").ok()?, login))
    });
    let login = login.filter(|_| !declared.anonymous);
    let identity = declared.client_certificate.clone().or_else(|| {
        let own = layers.iter().find_map(|layer| layer.client_certificate.clone());
        own.filter(|_| !declared.of_project)
    });
    let identity = identity.filter(|_| !exposed && !declared.anonymous);
    let logins = login.map(|(scope, (user, password))| Login {
        scope,
        credential: Credential::Basic { user, password: Secret(password) },
    });
    let proxy = layers.iter().find_map(|layer| layer.proxy.as_deref());
    let proxy = proxy.and_then(|proxy| {
        Url::parse(proxy)
            .ok()
            .filter(Url::has_host)
            .or_else(|| Url::parse(&format!("http://{proxy}")).ok())
    });
    let access = Access {
        logins: logins.into_iter().collect(),
        ca_files: layers.iter().flat_map(|layer| layer.certificates.clone()).collect(),
        authorities: { declared.certificate.clone().into_iter() }
            .map(|file| Authority { scope: scope(&url), pem: Pem::File(file) })
            .collect(),
        certificates: { identity.into_iter() }
            .map(|file| Shown { scope: scope(&url), identity: Identity::in_file(file) })
            .collect(),
        insecure: trusts(true) || trusts(false),
        proxy,
        ..Access::default()
    };
    Ok(Index { name: declared.name.clone(), url, access, explicit: declared.explicit })
}

/// Whether the host or the path would have to be filled in.
fn has_variable(url: &Url) -> bool {
    let is_variable = |text: &str| text.contains("${") || text.contains("$%7B");
    url.host_str().is_some_and(is_variable) || is_variable(url.path())
}

fn user_info(url: &Url) -> Option<(String, String)> {
    let decoded =
        |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    let password = url.password().unwrap_or_default();
    let given = !url.username().is_empty() || !password.is_empty();
    given.then(|| (decoded(url.username()), decoded(password)))
}

/// Where a credential of an index may go: its pages, and its files, which most servers keep beside
/// the folder called `simple`.
fn scope(url: &Url) -> Url {
    let mut scope = url.clone();
    let path = url.path().trim_end_matches('/');
    if let Some((above, "simple" | "+simple")) = path.rsplit_once('/') {
        scope.set_path(&format!("{above}/"));
    }
    scope
}

/// Whether `host`, which may have a port, is the one of the address.
fn is_host(url: &Url, host: &str) -> bool {
    let Some(own) = url.host_str() else { return false };
    let with_port = url.port_or_known_default().map(|port| format!("{own}:{port}"));
    host.eq_ignore_ascii_case(own) || with_port.is_some_and(|own| host.eq_ignore_ascii_case(&own))
}
