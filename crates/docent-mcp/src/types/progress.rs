//! `notifications/progress`.

use super::meta::{Meta, ProgressToken};
use super::wire::wire;

wire! {
    /// How far a request has come.
    pub struct ProgressNotificationParams {
        /// The token that the request brought along.
        req progress_token: ProgressToken = "progressToken",
        /// How much is done. It grows with every notification.
        req progress: f64 = "progress",
        /// How much there is to do, if that is known.
        opt total: f64 = "total",
        /// What is happening, for people.
        opt message: String = "message" [since V2025_03_26],
        /// Metadata.
        opt meta: Meta = "_meta",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::types::{Adapt, Revision};

    /// [BOTH-PROG-03] fractional figures survive, the total may be absent, the message is readable
    #[test]
    fn fractions_survive() {
        let json = json!({ "progressToken": "t", "progress": 0.1, "message": "½ way" });
        let params: ProgressNotificationParams = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(params.total, None);
        assert_eq!(serde_json::to_value(&params).unwrap(), json);

        for figure in [0.0, 1e-300, 0.1 + 0.2, 9_007_199_254_740_993.0, f64::MAX] {
            let params = ProgressNotificationParams {
                progress: figure,
                total: Some(figure),
                ..Default::default()
            };
            let text = serde_json::to_string(&params).unwrap();
            assert_eq!(serde_json::from_str::<ProgressNotificationParams>(&text).unwrap(), params);
        }
    }

    /// [BOTH-PROG-03] the first revision has no message
    #[test]
    fn the_message_came_with_2025_03_26() {
        for revision in Revision::ALL {
            let mut params =
                ProgressNotificationParams { message: Some("hm".into()), ..Default::default() };
            params.adapt(revision);
            assert_eq!(params.message.is_some(), revision > Revision::V2024_11_05);
        }
    }
}
