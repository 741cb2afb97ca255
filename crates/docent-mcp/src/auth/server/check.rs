//! What every token has to say right, however it was verified: from whom, for whom, and when.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::TokenError;
use crate::types::JsonObject;

/// What is expected of the claims of a token.
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) audience: &'a str,
    /// Whether the token may be meant for others as well.
    pub(super) shared: bool,
    pub(super) skew: Duration,
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl Expected<'_> {
    /// Checks issuer, audience and times. All are compared as they are written.
    pub(super) fn check(&self, claims: &JsonObject) -> Result<(), TokenError> {
        if claims.get("iss").and_then(Value::as_str) != Some(self.issuer) {
            return Err(TokenError::invalid("it comes from another issuer"));
        }
        self.check_audience(claims)?;
        self.check_times(claims)
    }

    pub(super) fn check_audience(&self, claims: &JsonObject) -> Result<(), TokenError> {
        let own = |value: &Value| value.as_str() == Some(self.audience);
        let meant = match claims.get("aud") {
            Some(Value::Array(all)) => match self.shared {
                true => all.iter().any(own),
                // A token for several can be replayed by each of them at the others.
                false => all.len() == 1 && all.iter().all(own),
            },
            Some(one) => own(one),
            None => false,
        };
        match meant {
            true => Ok(()),
            false => Err(TokenError::invalid("it was issued for another audience")),
        }
    }

    pub(super) fn check_times(&self, claims: &JsonObject) -> Result<(), TokenError> {
        let (now, skew) = (now(), self.skew.as_secs());
        let time = |name: &str| match claims.get(name) {
            None => Ok(None),
            Some(value) => match seconds(value) {
                Some(time) => Ok(Some(time)),
                None => Err(TokenError::invalid(format!("its `{name}` is no time"))),
            },
        };
        let Some(expires) = time("exp")? else {
            return Err(TokenError::invalid("it never expires"));
        };
        if expires.saturating_add(skew) <= now {
            return Err(TokenError::invalid("it has expired"));
        }
        if time("nbf")?.is_some_and(|begins| begins > now.saturating_add(skew)) {
            return Err(TokenError::invalid("it is not valid yet"));
        }
        if time("iat")?.is_some_and(|issued| issued > now.saturating_add(skew)) {
            return Err(TokenError::invalid("it was issued in the future"));
        }
        Ok(())
    }
}

/// A time in seconds, which may have a fraction.
pub(super) fn seconds(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let seconds = value.as_f64().filter(|seconds| (0.0..1e15).contains(seconds))?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
        Some(seconds as u64)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// [SRV-AUTH-17] who issued it, for whom, and when (A7).
    #[test]
    fn claims_that_are_refused() {
        let (past, future) = (now() - 1000, now() + 1000);
        let good = json!({ "iss": "https://as", "aud": "https://rs/mcp", "exp": future });
        let check = |shared, changes: Value| {
            let mut claims = good.as_object().unwrap().clone();
            for (name, value) in changes.as_object().unwrap() {
                match value.is_null() {
                    true => drop(claims.remove(name)),
                    false => drop(claims.insert(name.clone(), value.clone())),
                }
            }
            let skew = Duration::from_secs(60);
            let (issuer, audience) = ("https://as", "https://rs/mcp");
            Expected { issuer, audience, shared, skew }
                .check(&claims)
                .map_err(|error| error.to_string())
        };
        for fits in [
            json!({}),
            json!({ "aud": ["https://rs/mcp"] }),
            json!({ "exp": now() - 30 }),
            json!({ "exp": future as f64 + 0.5 }),
            json!({ "nbf": now() + 30, "iat": now() + 30 }),
        ] {
            assert_eq!(check(false, fits.clone()), Ok(()), "{fits}");
        }
        for (changes, why) in [
            (json!({ "iss": "https://as/" }), "issuer"),
            (json!({ "iss": null }), "issuer"),
            (json!({ "iss": ["https://as"] }), "issuer"),
            (json!({ "aud": null }), "audience"),
            (json!({ "aud": "https://rs" }), "audience"),
            (json!({ "aud": "https://rs/mcp/" }), "audience"),
            (json!({ "aud": [] }), "audience"),
            (json!({ "aud": ["https://other"] }), "audience"),
            (json!({ "aud": ["https://rs/mcp", "https://other"] }), "audience"),
            (json!({ "aud": [["https://rs/mcp"]] }), "audience"),
            (json!({ "exp": null }), "never expires"),
            (json!({ "exp": past }), "expired"),
            (json!({ "exp": "soon" }), "no time"),
            (json!({ "exp": -1 }), "no time"),
            (json!({ "nbf": future }), "not valid yet"),
            (json!({ "iat": future }), "in the future"),
        ] {
            let error = check(false, changes.clone()).unwrap_err();
            assert!(error.contains(why), "{changes}: {error}");
        }
        assert_eq!(check(true, json!({ "aud": ["https://rs/mcp", "https://other"] })), Ok(()));
        assert!(check(true, json!({ "aud": ["https://other"] })).is_err());
    }
}
