//! Log messages from a server.

use serde_json::Value;

use super::choice::choice;
use super::meta::Meta;
use super::wire::wire;

choice! {
    /// How severe a message is: the levels of syslog, least severe first, so that `level >= wanted`
    /// reads as it should.
    pub enum LoggingLevel {
        /// For whoever hunts a bug.
        Debug = "debug",
        /// Ordinary events.
        #[default]
        Info = "info",
        /// Ordinary, but worth a look.
        Notice = "notice",
        /// Something may go wrong.
        Warning = "warning",
        /// Something went wrong.
        Error = "error",
        /// A part has failed.
        Critical = "critical",
        /// Somebody must act now.
        Alert = "alert",
        /// Nothing works.
        Emergency = "emergency",
    }
}

wire! {
    /// Asks a legacy server for messages from a level on.
    pub struct SetLevelRequestParams {
        /// The least severe level wanted.
        req level: LoggingLevel = "level",
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// A log message.
    pub struct LoggingMessageNotificationParams {
        /// How severe it is.
        req level: LoggingLevel = "level",
        /// The part of the server that wrote it.
        opt logger: String = "logger",
        /// The message: text or any other JSON value.
        req data: Value = "data",
        /// Metadata.
        opt meta: Meta = "_meta",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered_and_closed() {
        assert!(LoggingLevel::ALL.is_sorted());
        assert_eq!(LoggingLevel::ALL.len(), 8);
        assert!(LoggingLevel::Error >= LoggingLevel::Warning);
        let error = serde_json::from_str::<LoggingLevel>("\"loud\"").unwrap_err();
        assert!(error.to_string().contains("`loud` is none of debug, info"), "{error}");
    }
}
