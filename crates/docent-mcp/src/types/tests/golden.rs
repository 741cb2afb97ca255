//! Single rules, by example: what goes in, and what each revision gets.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use crate::types::Revision::*;
use crate::types::*;

/// Decodes `given`, adapts it to a revision and compares.
fn check<T>(revision: Revision, given: Value, expected: Value)
where
    T: DeserializeOwned + Serialize + Adapt,
{
    let mut value: T = serde_json::from_value(given).unwrap();
    value.adapt(revision);
    assert_eq!(serde_json::to_value(&value).unwrap(), expected, "{revision}");
}

/// [BOTH-TOOLS-09] structured content that is no object is left out for older peers
#[test]
fn structured_content() {
    for value in [json!(null), json!([1]), json!("text"), json!(7)] {
        let given = json!({ "content": [], "structuredContent": value });
        check::<CallToolResult>(V2024_11_05, given.clone(), json!({ "content": [] }));
        check::<CallToolResult>(V2025_06_18, given.clone(), json!({ "content": [] }));
        check::<CallToolResult>(V2025_11_25, given.clone(), json!({ "content": [] }));
        check::<CallToolResult>(V2026_07_28, given.clone(), given);
    }
    let object = json!({ "content": [], "structuredContent": { "a": 1 } });
    check::<CallToolResult>(V2025_03_26, object.clone(), json!({ "content": [] }));
    check::<CallToolResult>(V2025_06_18, object.clone(), object);
}

/// [BOTH-TOOLS-09] an output schema whose root is no object is left out for older peers
#[test]
fn output_schema() {
    let tool = json!({
        "name": "t",
        "inputSchema": { "type": "object" },
        "outputSchema": { "type": "array" },
    });
    let without = json!({ "name": "t", "inputSchema": { "type": "object" } });
    for revision in [V2024_11_05, V2025_06_18, V2025_11_25] {
        check::<Tool>(revision, tool.clone(), without.clone());
    }
    check::<Tool>(V2026_07_28, tool.clone(), tool);
}

/// [CLI-TOOLS-11] hints that a server did not give stay unsaid, and have the protocol's defaults
#[test]
fn tool_annotations() {
    let silent: ToolAnnotations = serde_json::from_value(json!({})).unwrap();
    assert_eq!(silent, ToolAnnotations::default());
    assert_eq!(serde_json::to_value(&silent).unwrap(), json!({}));
    assert!(!silent.is_read_only() && silent.is_destructive());
    assert!(!silent.is_idempotent() && silent.is_open_world());

    let said = json!({ "readOnlyHint": false, "destructiveHint": false });
    let hints: ToolAnnotations = serde_json::from_value(said.clone()).unwrap();
    assert_eq!((hints.read_only_hint, hints.idempotent_hint), (Some(false), None));
    assert!(!hints.is_destructive());
    assert_eq!(serde_json::to_value(&hints).unwrap(), said);

    let tool = json!({ "name": "t", "inputSchema": { "type": "object" }, "annotations": said });
    let without = json!({ "name": "t", "inputSchema": { "type": "object" } });
    check::<Tool>(V2024_11_05, tool.clone(), without);
    check::<Tool>(V2025_03_26, tool.clone(), tool);
}

/// [BOTH-TOOLS-15] any number of blocks, and none at all only beside structured content
#[test]
fn content_may_be_missing_only_beside_structured_content() {
    let decode = |json: Value| CallToolResult::from_raw(&to_raw_value(&json).unwrap());
    assert_eq!(decode(json!({ "content": [] })).unwrap().content, []);
    let blocks = json!([{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }]);
    assert_eq!(decode(json!({ "content": blocks })).unwrap().content.len(), 2);
    assert!(decode(json!({ "structuredContent": null })).unwrap().content.is_empty());
    assert!(decode(json!({ "structuredContent": { "a": 1 } })).is_ok());
    for bad in [json!({}), json!({ "isError": true }), json!({ "toolResult": 1 }), json!([])] {
        assert!(decode(bad.clone()).is_err(), "{bad}");
    }
    // Encoding always writes the field.
    check::<CallToolResult>(V2025_11_25, json!({}), json!({ "content": [] }));
}

/// [BOTH-SAMP-04] content is an object or an array, and only an object for older peers
#[test]
fn sampling_content() {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let one = json!({ "role": "user", "content": text("a") });
    for revision in Revision::ALL {
        check::<SamplingMessage>(revision, one.clone(), one.clone());
        check::<SamplingMessage>(
            revision,
            json!({ "role": "user", "content": [text("a")] }),
            one.clone(),
        );
    }

    let two = json!({ "role": "user", "content": [text("a"), text("b")] });
    check::<SamplingMessage>(V2025_11_25, two.clone(), two.clone());
    check::<SamplingMessage>(V2026_07_28, two.clone(), two.clone());

    let request = json!({ "messages": [two, one], "maxTokens": 1 });
    let split = ["a", "b", "a"].map(|t| json!({ "role": "user", "content": text(t) }));
    for revision in [V2024_11_05, V2025_03_26, V2025_06_18] {
        let expected = json!({ "messages": split, "maxTokens": 1 });
        check::<CreateMessageRequestParams>(revision, request.clone(), expected);
    }
    check::<CreateMessageRequestParams>(V2025_11_25, request.clone(), request);
}

/// [BOTH-SAMP-04] an answer of several blocks becomes one for older peers
#[test]
fn sampling_answer() {
    let answer = |content: Value| json!({ "role": "assistant", "content": content, "model": "m" });
    let text = |text: &str| json!({ "type": "text", "text": text });
    let image = json!({ "type": "image", "data": "", "mimeType": "image/png" });
    let tool = json!({ "type": "tool_use", "id": "1", "name": "add", "input": { "a": 1 } });
    for (given, sent) in [
        (json!([text("a"), image, text("b")]), text("a\nb")),
        (json!([image, image]), image.clone()),
        (json!([]), text("")),
        (json!([text("a"), tool]), text("a\n[use of tool add: {\"a\":1}]")),
    ] {
        check::<CreateMessageResult>(V2025_06_18, answer(given.clone()), answer(sent));
        check::<CreateMessageResult>(V2025_11_25, answer(given.clone()), answer(given));
    }
}

#[test]
fn content_that_older_peers_lack_becomes_text() {
    let audio = json!({ "type": "audio", "data": "AAAA", "mimeType": "audio/wav" });
    let text = json!({ "type": "text", "text": "[audio, audio/wav]" });
    check::<ContentBlock>(V2024_11_05, audio.clone(), text);
    check::<ContentBlock>(V2025_03_26, audio.clone(), audio);

    let link = json!({
        "type": "resource_link",
        "uri": "file:///a",
        "name": "a",
        "mimeType": "text/plain",
        "annotations": { "priority": 1.0 },
    });
    let text = json!({
        "type": "text",
        "text": "[resource a: file:///a (text/plain)]",
        "annotations": { "priority": 1.0 },
    });
    check::<ContentBlock>(V2025_03_26, link.clone(), text);
    check::<ContentBlock>(V2025_06_18, link.clone(), link);

    let unknown = json!({ "type": "hologram", "depth": 3 });
    check::<ContentBlock>(V2024_11_05, unknown.clone(), unknown);
}

#[test]
fn a_discriminator_stands_once() {
    let json = json!({ "type": "text", "text": "a" });
    let text: TextContent = serde_json::from_value(json).unwrap();
    let block = serde_json::to_string(&ContentBlock::Text(text)).unwrap();
    assert_eq!(block, r#"{"type":"text","text":"a"}"#);
    let url: ElicitRequestUrlParams =
        serde_json::from_value(json!({ "mode": "url", "message": "m", "url": "u" })).unwrap();
    let params = serde_json::to_string(&ElicitRequestParams::Url(url)).unwrap();
    assert_eq!(params, r#"{"mode":"url","message":"m","url":"u"}"#);
}

/// [CLI-ELIC-02] no mode means a form, and a mode nobody knows is told apart
#[test]
fn elicitation_mode() {
    let decode = |json: Value| serde_json::from_value::<ElicitRequestParams>(json);
    let form = json!({ "message": "m", "requestedSchema": {} });
    assert!(matches!(decode(form).unwrap(), ElicitRequestParams::Form(_)));
    let form = json!({ "mode": "form", "message": "m", "requestedSchema": {} });
    assert!(matches!(decode(form).unwrap(), ElicitRequestParams::Form(_)));
    let url = json!({ "mode": "url", "message": "m", "url": "https://example.com" });
    assert!(matches!(decode(url).unwrap(), ElicitRequestParams::Url(_)));
    let other = json!({ "mode": "telepathy", "message": "m" });
    assert!(matches!(decode(other).unwrap(), ElicitRequestParams::Unknown(_)));
    assert!(decode(json!({ "mode": 7, "message": "m" })).is_err());
    assert!(decode(json!({ "message": "m" })).is_err());
}

#[test]
fn the_elicitation_id_is_only_for_2025_11_25() {
    let with = json!({ "mode": "url", "message": "m", "url": "u", "elicitationId": "1" });
    let without = json!({ "mode": "url", "message": "m", "url": "u" });
    check::<ElicitRequestParams>(V2025_11_25, with.clone(), with.clone());
    check::<ElicitRequestParams>(V2026_07_28, with, without);
}

#[test]
fn legacy_messages_never_carry_modern_metadata() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/related-task": { "taskId": "t" },
        "progressToken": 1,
        "com.example/own": [null],
    });
    let legacy = json!({
        "io.modelcontextprotocol/related-task": { "taskId": "t" },
        "progressToken": 1,
        "com.example/own": [null],
    });
    check::<Meta>(V2025_11_25, meta.clone(), legacy);
    let mut modern = meta.clone();
    modern.as_object_mut().unwrap().remove(Meta::RELATED_TASK);
    check::<Meta>(V2026_07_28, meta, modern);
}

/// [BOTH-META-02] trace context passes through as it came, and is offered only when well-formed
#[test]
fn trace_context() {
    let meta = json!({ "traceparent": "nonsense", "tracestate": "a=1", "baggage": "k=v" });
    for revision in Revision::ALL {
        check::<Meta>(revision, meta.clone(), meta.clone());
    }
    let parent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    let read = |text: &str| {
        let meta: Meta = serde_json::from_value(json!({ "traceparent": text })).unwrap();
        meta.traceparent().map(str::to_owned)
    };
    assert_eq!(read("nonsense"), None);
    assert_eq!(read(parent).as_deref(), Some(parent));
}
