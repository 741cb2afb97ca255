//! The one place that tells which era a message belongs to.
//!
//! A request that claims a protocol version in its `_meta` is modern, however wrong the rest of it
//! may be; every other request belongs to the legacy session of its connection. Nothing else is
//! evidence: not the method, not the connection, not what came before.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::request_meta::RequestMeta;
use crate::jsonrpc::{ErrorObject, RawJson, RawObject, code};
use crate::types::{
    ClientCapabilities, Era, Implementation, Meta, Revision, UnsupportedProtocolVersionData,
};

/// What a request says about itself.
pub(crate) struct Claim {
    pub(crate) meta: RequestMeta,
    /// The revision that it says it is of, if that is a string.
    pub(crate) version: Option<String>,
    pub(crate) era: Era,
}

/// Reads the era of a request from its parameters.
pub(crate) fn classify(params: Option<&RawJson>) -> Result<Claim, ErrorObject> {
    let meta = params.map_or(Ok(None), meta_of)?.unwrap_or_default();
    let version = meta.get(Meta::PROTOCOL_VERSION);
    let era = match version {
        Some(_) => Era::Modern,
        None => Era::Legacy,
    };
    let version = version.and_then(|version| version.decode().ok());
    Ok(Claim { meta: RequestMeta::new(meta), version, era })
}

/// The `_meta` of some parameters, without decoding the rest.
fn meta_of(params: &RawJson) -> Result<Option<RawObject>, ErrorObject> {
    #[derive(Deserialize)]
    struct Outline<'a> {
        #[serde(rename = "_meta", borrow)]
        meta: Option<&'a RawValue>,
    }
    if !may_have_meta(params.as_bytes()) {
        return Ok(None);
    }
    let outline: Outline<'_> = params.decode_borrowed().map_err(|error| {
        ErrorObject::invalid_params(format!("`params` cannot be read: {error}"))
    })?;
    let Some(meta) = outline.meta else { return Ok(None) };
    RawObject::of(&params.part(meta))
        .map(Some)
        .map_err(|_| ErrorObject::invalid_params("`_meta` must be an object"))
}

/// A quick look that spares most requests a walk through their parameters: there can be no `_meta`
/// without an underscore before `meta`, or an escape that may stand for anything.
fn may_have_meta(text: &[u8]) -> bool {
    if !text.starts_with(b"{") {
        return false;
    }
    // Searching for a word takes longer to set up and then runs faster.
    if text.len() > 1024 {
        return memchr::memmem::find(text, b"_meta").is_some()
            || memchr::memmem::find(text, b"\\u").is_some();
    }
    memchr::memchr2_iter(b'_', b'\\', text)
        .any(|at| text[at..].starts_with(b"_meta") || text[at..].starts_with(b"\\u"))
}

/// Who makes a modern request, by its own words.
pub(crate) struct ModernClaim<'a> {
    pub(crate) version: &'a str,
    pub(crate) capabilities: ClientCapabilities,
    pub(crate) client_info: Option<Implementation>,
}

/// Reads the `_meta` of a modern request.
pub(crate) fn modern_claim(claim: &Claim) -> Result<ModernClaim<'_>, ErrorObject> {
    let wrong =
        |key: &str, what: &str| ErrorObject::invalid_params(format!("`_meta[\"{key}\"]` {what}"));
    let Some(version) = claim.version.as_deref() else {
        return Err(wrong(Meta::PROTOCOL_VERSION, "must be a string"));
    };
    let meta = claim.meta.text();
    let capabilities = match meta.get(Meta::CLIENT_CAPABILITIES) {
        None => return Err(wrong(Meta::CLIENT_CAPABILITIES, "is missing")),
        Some(value) if !value.as_bytes().starts_with(b"{") => {
            return Err(wrong(Meta::CLIENT_CAPABILITIES, "must be an object"));
        }
        Some(value) => value
            .decode()
            .map_err(|error| wrong(Meta::CLIENT_CAPABILITIES, &format!("is malformed: {error}")))?,
    };
    let client_info = meta.read(Meta::CLIENT_INFO).ok().flatten();
    Ok(ModernClaim { version, capabilities, client_info })
}

/// The revision of this name among those that are spoken here.
pub(crate) fn spoken(version: &str, supported: &[Revision]) -> Result<Revision, ErrorObject> {
    let revision = version.parse().ok().filter(|revision| supported.contains(revision));
    revision.ok_or_else(|| unsupported_version(version, supported))
}

/// The error for a revision that is not spoken here, with those that are.
pub(crate) fn unsupported_version(requested: &str, supported: &[Revision]) -> ErrorObject {
    let data = UnsupportedProtocolVersionData {
        supported: supported.iter().map(ToString::to_string).collect(),
        requested: requested.to_owned(),
        ..Default::default()
    };
    ErrorObject::new(
        code::UNSUPPORTED_PROTOCOL_VERSION,
        format!("protocol version {requested:?} is not supported"),
    )
    .with_data(serde_json::to_value(data).expect("a wire type is always representable"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn claim(params: &serde_json::Value) -> Result<Era, i64> {
        classify(Some(&RawJson::from(params))).map(|claim| claim.era).map_err(|error| error.code)
    }

    #[test]
    fn only_the_version_claim_decides_the_era() {
        assert_eq!(classify(None).unwrap().era, Era::Legacy);
        for (params, expected) in [
            (json!({}), Ok(Era::Legacy)),
            (json!({"_meta": {}}), Ok(Era::Legacy)),
            (json!({"_meta": {"progressToken": 1}}), Ok(Era::Legacy)),
            (json!({"_meta": {"io.modelcontextprotocol/clientInfo": {}}}), Ok(Era::Legacy)),
            (
                json!({"a": {"_meta": {"io.modelcontextprotocol/protocolVersion": "x"}}}),
                Ok(Era::Legacy),
            ),
            (json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "x"}}), Ok(Era::Modern)),
            (json!({"_meta": {"io.modelcontextprotocol/protocolVersion": 7}}), Ok(Era::Modern)),
            (json!({"_meta": 7}), Err(-32602)),
        ] {
            assert_eq!(claim(&params), expected, "{params}");
        }
        for padding in ["", &"x".repeat(2000)] {
            let claim = r#"{"io.modelcontextprotocol/protocolVersion":"x"}"#;
            for key in ["_meta", r"\u005fmeta", r"_m\u0065ta"] {
                let params = format!(r#"{{"padding":"{padding}","{key}":{claim}}}"#);
                let params = RawJson::trusted(params.into());
                assert_eq!(classify(Some(&params)).unwrap().era, Era::Modern, "{key}");
            }
        }
    }

    /// [SRV-META-04] [SRV-VER-02] what a modern request must say, and the error when it does not.
    #[test]
    fn a_modern_claim_is_checked_field_by_field() {
        let version = Meta::PROTOCOL_VERSION;
        let capabilities = Meta::CLIENT_CAPABILITIES;
        for (meta, expected) in [
            (json!({version: "2026-07-28", capabilities: {}}), Ok(Revision::V2026_07_28)),
            (
                json!({version: "2026-07-28", capabilities: {"roots": {"listChanged": true}}}),
                Ok(Revision::V2026_07_28),
            ),
            (json!({version: 7, capabilities: {}}), Err(-32602)),
            (json!({version: "2026-07-28"}), Err(-32602)),
            (json!({version: "2026-07-28", capabilities: null}), Err(-32602)),
            (json!({version: "2026-07-28", capabilities: []}), Err(-32602)),
            (json!({version: "v999.0.0", capabilities: {}}), Err(-32022)),
            (json!({version: "2025-11-25", capabilities: {}}), Err(-32022)),
        ] {
            let claim = classify(Some(&json!({ "_meta": meta }).into())).unwrap();
            let checked = modern_claim(&claim)
                .and_then(|claim| spoken(claim.version, &[Revision::V2026_07_28]));
            assert_eq!(checked.map_err(|error| error.code), expected);
        }
        let error = unsupported_version("v999.0.0", &[Revision::V2026_07_28]);
        assert_eq!(
            error.data.unwrap(),
            json!({"supported": ["2026-07-28"], "requested": "v999.0.0"})
        );
    }
}
