//! How values of the protocol's own types are drawn: enums, and types with rules that their fields
//! do not express.

use serde_json::{Value, json};

use super::sample::{Sample, Source};
use super::*;
use crate::jsonrpc::Id;

impl Sample for Meta {
    fn sample(source: &mut Source<'_>) -> Self {
        let mut meta = Meta::new();
        for _ in 0..source.below(4) {
            match source.below(7) {
                0 => meta.set_progress_token(Id::sample(source)),
                1 => meta.set_subscription_id(&Id::sample(source)),
                2 => meta.set_server_info(&Implementation::new("s", "1")),
                3 => meta.set_related_task(&RelatedTaskMetadata::default()),
                4 => meta.set_log_level(Sample::sample(source)),
                _ => drop(meta.insert(String::sample(source), Value::sample(source))),
            }
        }
        meta
    }
}

/// Draws one of the variants.
macro_rules! sample_enum {
    ($Name:ident { $($Variant:ident),* }) => {
        impl Sample for $Name {
            fn sample(source: &mut Source<'_>) -> Self {
                let draw: &[fn(&mut Source<'_>) -> $Name] =
                    &[ $( |source| $Name::$Variant(Sample::sample(source)), )* ];
                draw[source.below(draw.len())](source)
            }
        }
    };
}
sample_enum!(ContentBlock { Text, Image, Audio, ResourceLink, Resource });
sample_enum!(SamplingContent { Text, Image, Audio, ToolUse, ToolResult });
sample_enum!(ResourceContents { Text, Blob });
sample_enum!(CompletionReference { Prompt, Resource });
sample_enum!(ElicitRequestParams { Form, Url });
sample_enum!(InputRequest { Elicit, CreateMessage, ListRoots });
sample_enum!(PrimitiveSchema {
    String,
    Number,
    Boolean,
    UntitledSingleSelectEnum,
    TitledSingleSelectEnum,
    UntitledMultiSelectEnum,
    TitledMultiSelectEnum,
    LegacyTitledEnum
});

impl Sample for SamplingContents {
    fn sample(source: &mut Source<'_>) -> Self {
        SamplingContents(Sample::sample(source))
    }
}

impl Sample for RequestedSchema {
    fn sample(source: &mut Source<'_>) -> Self {
        let mut schema = RequestedSchema::new();
        for _ in 0..source.below(3) {
            let (name, field) = (String::sample(source), PrimitiveSchema::sample(source));
            if schema.properties.iter().any(|(taken, _)| *taken == name) {
                continue;
            }
            schema = match source.below(2) {
                0 => schema.optional(name, field),
                _ => schema.required(name, field),
            };
        }
        schema
    }
}

impl Tool {
    pub(super) fn make_valid(&mut self, source: &mut Source<'_>) {
        if source.below(4) > 0 {
            self.input_schema = tool_schema(source);
        }
        // An absent schema and a null one are the same to a reader.
        self.output_schema.take_if(|schema| schema.is_null());
        if self.output_schema.is_some() && source.below(4) > 0 {
            self.output_schema = Some(tool_schema(source));
        }
    }
}

/// The schema of an object, as people write and as `schemars` derives them.
fn tool_schema(source: &mut Source<'_>) -> Value {
    let property = |source: &mut Source<'_>| match source.below(4) {
        0 => Value::Bool(bool::sample(source)),
        1 => json!({ "type": ["integer", "null"], "x-mcp-header": "N" }),
        2 => json!({ "$ref": "#/$defs/T" }),
        _ => Value::Object(source.object(1)),
    };
    let properties: JsonObject =
        (0..source.below(3)).map(|_| (String::sample(source), property(source))).collect();
    let required: Vec<_> = properties.keys().cloned().collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        "required": required,
        "$defs": { "T": true },
    })
}

/// Answers as a client gives them: raw values, each the result that one kind of question has.
fn input_responses(source: &mut Source<'_>) -> InputResponses {
    fn answer<T: Sample + Adapt + serde::Serialize>(source: &mut Source<'_>) -> Value {
        let mut answer = T::sample(source);
        answer.adapt(Revision::V2026_07_28);
        serde_json::to_value(answer).unwrap()
    }
    let one = |source: &mut Source<'_>| match source.below(3) {
        0 => answer::<ElicitResult>(source),
        1 => answer::<CreateMessageResult>(source),
        _ => answer::<ListRootsResult>(source),
    };
    (0..source.below(3)).map(|_| (String::sample(source), one(source))).collect()
}

macro_rules! with_input_responses {
    ($($Params:ident),*) => { $(
        impl $Params {
            pub(super) fn make_valid(&mut self, source: &mut Source<'_>) {
                self.input_responses = self.input_responses.is_some().then(|| input_responses(source));
            }
        }
    )* };
}
with_input_responses!(CallToolRequestParams, GetPromptRequestParams, ReadResourceRequestParams);
