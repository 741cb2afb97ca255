//! From the names of here to those of a server, and from a server's result to one of ours.

use docent_mcp::jsonrpc::{ErrorObject, RawJson, RawObject, code};
use docent_mcp::server::Context;
use docent_mcp::types::{
    CallToolResult, ContentBlock, GetPromptResult, JsonObject, Meta, ReadResourceResult,
    ResourceContents, ResultKind, Revision, TaskSupport, method,
};
use ring::digest::SHA256;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Answer, Shared};
use crate::view::{View, rewrite_pages};

/// Where a request goes.
pub(super) struct Target {
    pub(super) method: String,
    pub(super) number: usize,
    /// The name or address that the client used.
    pub(super) asked: String,
    /// Whether the tool may or must run as a task (2025-11-25).
    pub(super) task_support: Option<TaskSupport>,
}

impl Shared {
    /// Finds the server, and puts its own name for the thing into the parameters.
    pub(super) async fn target(
        &self,
        method: &str,
        params: &mut RawObject,
        revision: Revision,
    ) -> Result<Target, ErrorObject> {
        let field = if method == method::RESOURCES_READ { "uri" } else { "name" };
        let Ok(Some(asked)) = params.read::<String>(field) else {
            return Err(ErrorObject::invalid_params(format!("`{field}` must be a string")));
        };
        let host = &self.host.inner;
        let unknown = |error: crate::Error| error.to_rpc();
        let (number, own, task_support) = match method {
            method::TOOLS_CALL => {
                // Only what is needed: a definition may be long.
                let find = |view: &View, name: &str| {
                    let found = view.tool(name)?;
                    let execution = found.item.execution.as_ref();
                    let support = execution.and_then(|execution| execution.task_support);
                    Ok((found.number, found.own.clone(), support))
                };
                host.find(&asked, find).await.map_err(unknown)?
            }
            method::PROMPTS_GET => {
                let found = host.find_prompt(&asked).await.map_err(unknown)?;
                (found.number, found.own, None)
            }
            _ => match self.place(&asked).await {
                Some(place) => (place.number, place.uri, None),
                None => {
                    let code = match revision.is_modern() {
                        true => code::INVALID_PARAMS,
                        false => code::RESOURCE_NOT_FOUND,
                    };
                    let error = ErrorObject::new(code, "no server has this resource");
                    return Err(error.with_data(serde_json::json!({ "uri": asked })));
                }
            },
        };
        params.insert(field, Value::String(own));
        Ok(Target { method: method.to_owned(), number, asked, task_support })
    }
}

/// A result of a server, in the words of the request's revision and with addresses of here.
pub(super) fn result(
    shared: &Shared,
    context: &Context,
    target: &Target,
    result: &RawJson,
) -> Answer {
    let place = Address { shared, number: target.number };
    Ok(match &*target.method {
        method::TOOLS_CALL => {
            let mut result: CallToolResult = decode(result)?;
            place.called(&mut result);
            own_meta(&mut result.meta);
            context.reply(result)
        }
        method::PROMPTS_GET => {
            let mut result: GetPromptResult = decode(result)?;
            result.messages.iter_mut().for_each(|message| place.block(&mut message.content));
            own_meta(&mut result.meta);
            context.reply(result)
        }
        _ => {
            let mut result: ReadResourceResult = decode(result)?;
            result.contents.iter_mut().for_each(|contents| place.contents(contents));
            own_meta(&mut result.meta);
            context.reply(result)
        }
    })
}

/// Who answers is us, whatever the server said of itself.
pub(super) fn own_meta(meta: &mut Option<Meta>) {
    if let Some(inside) = meta {
        inside.remove(Meta::SERVER_INFO);
        if inside.is_empty() {
            *meta = None;
        }
    }
}

/// Rewrites addresses in what a server sends.
pub(super) struct Address<'a> {
    pub(super) shared: &'a Shared,
    pub(super) number: usize,
}

impl Address<'_> {
    fn of(&self, uri: &mut String) {
        *uri = self.shared.address(self.number, uri);
    }

    pub(super) fn called(&self, result: &mut CallToolResult) {
        result.content.iter_mut().for_each(|block| self.block(block));
        rewrite_pages(&mut result.meta, |uri| self.shared.address(self.number, uri));
    }

    /// The same for the result that a task holds.
    pub(super) fn held(&self, result: JsonObject) -> JsonObject {
        let Ok(mut called) = serde_json::from_value(Value::Object(result.clone())) else {
            return result;
        };
        self.called(&mut called);
        match serde_json::to_value(called) {
            Ok(Value::Object(called)) => called,
            _ => result,
        }
    }

    fn block(&self, block: &mut ContentBlock) {
        match block {
            ContentBlock::ResourceLink(link) => self.of(&mut link.uri),
            ContentBlock::Resource(embedded) => self.contents(&mut embedded.resource),
            _ => {}
        }
    }

    fn contents(&self, contents: &mut ResourceContents) {
        match contents {
            ResourceContents::Text(contents) => self.of(&mut contents.uri),
            ResourceContents::Blob(contents) => self.of(&mut contents.uri),
        }
    }
}

/// An error that the client's revision has.
pub(super) fn permitted(
    mut error: ErrorObject,
    not_found: bool,
    target: &Target,
    revision: Revision,
) -> ErrorObject {
    if not_found && target.method == method::RESOURCES_READ {
        error.data = Some(serde_json::json!({ "uri": target.asked }));
        error.code = match revision.is_modern() {
            true => code::INVALID_PARAMS,
            false => code::RESOURCE_NOT_FOUND,
        };
    }
    if !code::is_permitted(error.code, revision) {
        error.code = code::INTERNAL_ERROR;
    }
    error
}

/// Parameters as an object, without metadata: that of the next hop is another.
pub(super) fn object(params: Option<RawJson>) -> Result<RawObject, ErrorObject> {
    read(params, |params| RawObject::without(params, "_meta"))
}

/// Parameters as what the method has.
pub(super) fn typed<T: DeserializeOwned>(params: Option<RawJson>) -> Result<T, ErrorObject> {
    read(params, RawJson::decode)
}

fn read<T>(
    params: Option<RawJson>,
    read: impl FnOnce(&RawJson) -> Result<T, serde_json::Error>,
) -> Result<T, ErrorObject> {
    let Some(params) = params else {
        return Err(ErrorObject::invalid_params("`params` is missing"));
    };
    let unfit = |error| ErrorObject::invalid_params(format!("`params` does not fit: {error}"));
    read(&params).map_err(unfit)
}

/// A result as an object, whose members nobody has looked at yet.
pub(super) fn members(result: &RawJson) -> Result<RawObject, ErrorObject> {
    RawObject::of(result).map_err(unreadable)
}

/// Which kind of result it is.
pub(super) fn kind(members: &RawObject) -> Result<ResultKind, ErrorObject> {
    let word: Option<String> = members.read("resultType").map_err(unreadable)?;
    Ok(word.map_or(ResultKind::Complete, |word| ResultKind::from(&*word)))
}

/// Whether a result of one revision says the same in another, but for members of every result. Since
/// 2025-11-25 only two things differ: what structured content may be, and keys of metadata, which
/// may also stand deep inside. Escaped names are not looked for: they may be addresses, too.
pub(super) fn is_alike(result: &RawObject, from: Revision, to: Revision) -> bool {
    let structured =
        || result.get("structuredContent").is_none_or(|json| json.as_bytes().starts_with(b"{"));
    let inside = |json: &RawJson| memchr::memmem::find(json.as_bytes(), b"\"_meta\"").is_some();
    from == to
        || from.min(to) >= Revision::V2025_11_25
            && (to.is_modern() || structured())
            && !result.iter().any(|(name, json)| name != "_meta" && inside(json))
}

/// Whether an address may be in a result, of a resource or of a page: no member of such a name can be
/// there without this text, or an escape that may stand for anything.
pub(super) fn may_have_address(result: &[u8]) -> bool {
    let parts = [&b"\"uri\""[..], b"esourceUri\"", b"\\u"];
    parts.iter().any(|part| memchr::memmem::find(result, part).is_some())
}

pub(super) fn decode<T: DeserializeOwned>(result: &RawJson) -> Result<T, ErrorObject> {
    result.decode().map_err(unreadable)
}

fn unreadable(error: serde_json::Error) -> ErrorObject {
    ErrorObject::internal(format!("the server's answer cannot be read: {error}"))
}

/// A digest of parameters, the same whatever the order of their keys, and in every round.
pub(super) fn digest(params: &RawObject) -> String {
    let mut params = params.clone();
    params.remove("inputResponses");
    params.remove("requestState");
    let mut text = String::new();
    let params = params.encode();
    match params.decode() {
        Ok(params) => write_sorted(&params, &mut text),
        // A number may be larger than any that we have; then its parameters are what they are.
        Err(_) => text.push_str(&String::from_utf8_lossy(params.as_bytes())),
    }
    let digest = ring::digest::digest(&SHA256, text.as_bytes());
    digest.as_ref()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn write_sorted(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<_> = map.keys().collect();
            keys.sort();
            text.push('{');
            for key in keys {
                text.push_str(&Value::from(&**key).to_string());
                text.push(':');
                write_sorted(&map[key], text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write_sorted(item, text);
                text.push(',');
            }
            text.push(']');
        }
        other => text.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn params(text: &str) -> RawObject {
        RawObject::of(&RawJson::encode(&RawValue::from_string(text.to_owned()).unwrap()).unwrap())
            .unwrap()
    }

    #[test]
    fn digests_are_of_what_is_said() {
        let of = |text: &str| digest(&params(text));
        let said = of(r#"{"name":"t","arguments":{"a":1,"b":[2]}}"#);
        for (text, same) in [
            (r#"{"arguments":{"b":[2],"a":1},"name":"t"}"#, true),
            (r#"{"name":"t","arguments":{"a":1,"b":[2]},"requestState":"x"}"#, true),
            (r#"{"name":"t","arguments":{"a":1,"b":[3]}}"#, false),
            // No number of ours is as large as this one.
            (r#"{"name":"t","arguments":{"a":1e400}}"#, false),
        ] {
            assert_eq!(of(text) == said, same, "{text}");
        }
        let large = of(r#"{"a":1e400}"#);
        assert_eq!(large, of(r#"{"a":1e400}"#));
        assert_ne!(large, of(r#"{"a":2e400}"#));
    }

    #[test]
    fn results_pass_where_they_mean_the_same() {
        use Revision::{V2025_06_18 as OLD, V2025_11_25 as LEGACY, V2026_07_28 as MODERN};
        let plain = r#"{"content":[{"type":"text","text":"the \"_meta\" of it"}],"_meta":{"a":1}}"#;
        let object = r#"{"content":[],"structuredContent":{"a":1}}"#;
        let list = r#"{"content":[],"structuredContent":[1]}"#;
        let deep = r#"{"content":[{"type":"text","text":"","_meta":{"a":1}}]}"#;
        for (result, from, to, expected) in [
            (plain, MODERN, LEGACY, true),
            (plain, LEGACY, MODERN, true),
            (plain, OLD, OLD, true),
            (plain, LEGACY, OLD, false),
            (plain, OLD, MODERN, false),
            (object, MODERN, LEGACY, true),
            (list, MODERN, LEGACY, false),
            (list, LEGACY, MODERN, true),
            (deep, MODERN, LEGACY, false),
            (deep, LEGACY, MODERN, false),
            (deep, LEGACY, LEGACY, true),
        ] {
            assert_eq!(is_alike(&params(result), from, to), expected, "{result} {from} {to}");
        }
    }

    #[test]
    fn addresses_are_not_overlooked() {
        for (result, expected) in [
            (r#"{"content":[{"type":"text","text":"security of the \"uri\""}]}"#, false),
            (r#"{"content":[{"type":"resource_link","uri":"x:y"}]}"#, true),
            (r#"{"content":[{"type":"resource_link","u\u0072i":"x:y"}]}"#, true),
            (r#"{"_meta":{"ui/resourceUri":"ui://x"}}"#, true),
            (r#"{"_meta":{"ui":{"resourceUri":"ui://x"}}}"#, true),
        ] {
            assert_eq!(may_have_address(result.as_bytes()), expected, "{result}");
        }
    }
}
