//! For whom a piece of content is meant, and how important it is.

use super::Revision;
use super::choice::choice;
use super::wire::wire;

choice! {
    /// Who speaks, or who is spoken to.
    pub enum Role {
        /// The person.
        #[default]
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
}

wire! {
    /// Hints about a resource or a content block.
    pub struct Annotations {
        /// For whom it is meant.
        list audience: Role = "audience",
        /// How important it is: 0 may be left out, 1 is needed.
        opt priority: f64 = "priority",
        /// When it last changed, in ISO 8601.
        opt last_modified: String = "lastModified" [since V2025_06_18],
    }
    adapt adapt_annotations;
}

fn adapt_annotations(annotations: &mut Annotations, _: Revision) {
    annotations.priority = annotations.priority.and_then(unit_interval);
}

/// A weight between 0 and 1: clamped, or dropped when it is not a number at all.
pub(super) fn unit_interval(weight: f64) -> Option<f64> {
    (!weight.is_nan()).then(|| weight.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::types::Adapt;

    /// [BOTH-RES-08] priority, audience and lastModified
    #[test]
    fn priority_stays_between_0_and_1() {
        for (given, sent) in [
            (0.0, Some(0.0)),
            (0.7, Some(0.7)),
            (1.0, Some(1.0)),
            (-1.0, Some(0.0)),
            (1e9, Some(1.0)),
            (f64::INFINITY, Some(1.0)),
            (f64::NAN, None),
        ] {
            let mut annotations = Annotations { priority: Some(given), ..Default::default() };
            annotations.adapt(Revision::V2025_11_25);
            assert_eq!(annotations.priority, sent, "{given}");
        }
    }

    /// [BOTH-RES-08] priority, audience and lastModified
    #[test]
    fn last_modified_came_with_2025_06_18() {
        let json = json!({
            "audience": ["user", "assistant"],
            "priority": 0.25,
            "lastModified": "2025-01-12T15:00:58Z",
        });
        let annotations: Annotations = serde_json::from_value(json.clone()).unwrap();
        for revision in Revision::ALL {
            let mut adapted = annotations.clone();
            adapted.adapt(revision);
            assert_eq!(adapted.audience, [Role::User, Role::Assistant]);
            assert_eq!(adapted.last_modified.is_some(), revision >= Revision::V2025_06_18);
        }
        assert_eq!(serde_json::to_value(&annotations).unwrap(), json);
    }
}
