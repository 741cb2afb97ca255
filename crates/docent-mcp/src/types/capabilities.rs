//! What a client and a server say they can do.

use super::task_capabilities::{ClientTasksCapability, ServerTasksCapability};
use super::wire::wire;
use super::{JsonObject, Revision};

wire! {
    /// What a client can do for a server.
    pub struct ClientCapabilities {
        /// It can list the folders it works in.
        opt roots: RootsCapability = "roots",
        /// It can ask a language model.
        opt sampling: SamplingCapability = "sampling",
        /// It can ask its user.
        opt elicitation: ElicitationCapability = "elicitation" [since V2025_06_18],
        /// It can run requests as tasks.
        opt tasks: ClientTasksCapability = "tasks" [since V2025_11_25 until V2025_11_25],
        /// Extensions by identifier, each with its settings.
        opt extensions: JsonObject = "extensions" [since V2026_07_28],
        /// Anything outside the protocol, by name.
        opt experimental: JsonObject = "experimental",
    }
    adapt adapt_client;

    /// What a server can do for a client.
    pub struct ServerCapabilities {
        /// It sends log messages.
        opt logging: JsonObject = "logging",
        /// It completes arguments. The first revision had the method without the capability.
        opt completions: JsonObject = "completions" [since V2025_03_26],
        /// It has prompts.
        opt prompts: PromptsCapability = "prompts",
        /// It has resources.
        opt resources: ResourcesCapability = "resources",
        /// It has tools.
        opt tools: ToolsCapability = "tools",
        /// It can run requests as tasks.
        opt tasks: ServerTasksCapability = "tasks" [since V2025_11_25 until V2025_11_25],
        /// Extensions by identifier, each with its settings.
        opt extensions: JsonObject = "extensions" [since V2026_07_28],
        /// Anything outside the protocol, by name.
        opt experimental: JsonObject = "experimental",
    }
    adapt adapt_server;

    /// How a client lists its folders.
    pub struct RootsCapability {
        /// It tells when the list changes.
        opt list_changed: bool = "listChanged" [until V2025_11_25],
    }

    /// How a client asks a language model.
    pub struct SamplingCapability {
        /// It understands `includeContext`.
        opt context: JsonObject = "context" [since V2025_11_25],
        /// It lets the model use tools.
        opt tools: JsonObject = "tools" [since V2025_11_25],
    }

    /// How a client asks its user. An empty object means by form.
    pub struct ElicitationCapability {
        /// With a form.
        opt form: JsonObject = "form" [since V2025_11_25],
        /// By sending the user to a page.
        opt url: JsonObject = "url" [since V2025_11_25],
    }

    /// How a server offers prompts.
    pub struct PromptsCapability {
        /// It tells when the list changes.
        opt list_changed: bool = "listChanged",
    }

    /// How a server offers resources.
    pub struct ResourcesCapability {
        /// It tells when a resource that somebody watches changes.
        opt subscribe: bool = "subscribe",
        /// It tells when the list changes.
        opt list_changed: bool = "listChanged",
    }

    /// How a server offers tools.
    pub struct ToolsCapability {
        /// It tells when the list changes.
        opt list_changed: bool = "listChanged",
    }
}

impl ElicitationCapability {
    /// Form and page.
    pub fn both() -> Self {
        ElicitationCapability {
            form: Some(JsonObject::new()),
            url: Some(JsonObject::new()),
            ..Default::default()
        }
    }

    /// Whether the user can be asked with a form: said so, or nothing said at all.
    pub fn supports_form(&self) -> bool {
        self.form.is_some() || self.url.is_none()
    }

    /// Whether the user can be sent to a page.
    pub fn supports_url(&self) -> bool {
        self.url.is_some()
    }
}

impl ClientCapabilities {
    /// Whether everything in `required` is here too. Settings of extensions are not compared,
    /// only their presence.
    pub fn covers(&self, required: &ClientCapabilities) -> bool {
        let keys = |have: &Option<JsonObject>, need: &Option<JsonObject>| {
            need.iter().flatten().all(|(key, _)| have.as_ref().is_some_and(|h| h.contains_key(key)))
        };
        covered(&self.roots, &required.roots, |have, need| {
            need.list_changed != Some(true) || have.list_changed == Some(true)
        }) && covered(&self.sampling, &required.sampling, |have, need| {
            (need.context.is_none() || have.context.is_some())
                && (need.tools.is_none() || have.tools.is_some())
        }) && covered(&self.elicitation, &required.elicitation, |have, need| {
            (!need.supports_form() || have.supports_form())
                && (!need.supports_url() || have.supports_url())
        }) && covered(&self.tasks, &required.tasks, ClientTasksCapability::covers)
            && keys(&self.extensions, &required.extensions)
            && keys(&self.experimental, &required.experimental)
            && required.extra.keys().all(|key| self.extra.contains_key(key))
    }
}

fn covered<T>(have: &Option<T>, need: &Option<T>, within: impl Fn(&T, &T) -> bool) -> bool {
    match (have, need) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(have), Some(need)) => within(have, need),
    }
}

fn adapt_client(capabilities: &mut ClientCapabilities, revision: Revision) {
    // 2025-06-18 cannot say "only by page": any elicitation capability means forms there.
    if revision < Revision::V2025_11_25 {
        capabilities.elicitation.take_if(|elicitation| !elicitation.supports_form());
    }
    keep_objects(&mut capabilities.extensions);
    keep_objects(&mut capabilities.experimental);
}

fn adapt_server(capabilities: &mut ServerCapabilities, _: Revision) {
    keep_objects(&mut capabilities.extensions);
    keep_objects(&mut capabilities.experimental);
}

/// Every entry is a settings object; a peer may send something else, we do not pass it on.
fn keep_objects(entries: &mut Option<JsonObject>) {
    if let Some(entries) = entries {
        entries.retain(|_, settings| settings.is_object());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::types::Adapt;

    fn client(json: Value) -> ClientCapabilities {
        serde_json::from_value(json).unwrap()
    }

    /// [CLI-ELIC-02] an empty capability means forms
    #[test]
    fn elicitation_modes() {
        let check = |json: Value, form: bool, url: bool| {
            let elicitation = client(json!({ "elicitation": json })).elicitation.unwrap();
            assert_eq!((elicitation.supports_form(), elicitation.supports_url()), (form, url));
        };
        check(json!({}), true, false);
        check(json!({ "form": {} }), true, false);
        check(json!({ "url": {} }), false, true);
        check(json!({ "form": {}, "url": {} }), true, true);
    }

    /// [CLI-ELIC-02] a mode the older revision cannot name is not promised to it
    #[test]
    fn elicitation_by_page_only_is_not_offered_to_2025_06_18() {
        let mut capabilities = client(json!({ "elicitation": { "url": {} } }));
        capabilities.adapt(Revision::V2025_06_18);
        assert_eq!(capabilities, ClientCapabilities::default());

        let mut capabilities = client(json!({ "elicitation": { "form": {}, "url": {} } }));
        capabilities.adapt(Revision::V2025_06_18);
        assert_eq!(serde_json::to_value(&capabilities).unwrap(), json!({ "elicitation": {} }));
    }

    #[test]
    fn covers() {
        let check = |have: Value, need: Value, expected: bool| {
            assert_eq!(
                client(have.clone()).covers(&client(need.clone())),
                expected,
                "{have} {need}"
            );
        };
        check(json!({}), json!({}), true);
        check(json!({}), json!({ "roots": {} }), false);
        check(json!({ "roots": {} }), json!({ "roots": {} }), true);
        check(json!({ "roots": {} }), json!({ "roots": { "listChanged": true } }), false);
        check(json!({ "sampling": {} }), json!({ "sampling": { "tools": {} } }), false);
        check(json!({ "sampling": { "tools": {} } }), json!({ "sampling": {} }), true);
        check(json!({ "elicitation": {} }), json!({ "elicitation": { "form": {} } }), true);
        check(json!({ "elicitation": { "url": {} } }), json!({ "elicitation": {} }), false);
        check(json!({ "extensions": { "a/b": {} } }), json!({ "extensions": { "a/b": {} } }), true);
        check(json!({ "extensions": {} }), json!({ "extensions": { "a/b": {} } }), false);
        check(json!({ "later": {} }), json!({ "later": {} }), true);
        check(json!({}), json!({ "later": {} }), false);
    }
}
