//! Somebody who logs in to a realm: agrees to everything, and comes back with an answer that an
//! attack may have changed on the way.

use std::collections::BTreeMap;
use std::sync::Arc;

use docent_mcp::auth::Visit;
use docent_mcp::transport::BoxFuture;
use docent_mcp::transport::http::HookError;
use docent_testkit::form::{Form, encode};

use super::Realm;

/// The answer of a login, parameter by parameter.
pub(crate) type Answered = BTreeMap<&'static str, String>;

type Change = Arc<dyn Fn(&mut Answered) + Send + Sync>;

pub(crate) struct User {
    realm: Realm,
    change: Option<Change>,
}

impl User {
    pub(crate) fn of(realm: &Realm) -> User {
        User { realm: realm.clone(), change: None }
    }

    /// Somebody changes what they come back with.
    pub(crate) fn tampered(mut self, with: impl Fn(&mut Answered) + Send + Sync + 'static) -> User {
        self.change = Some(Arc::new(with));
        self
    }
}

impl Visit for User {
    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Option<String>, HookError>> {
        Box::pin(async move {
            let query = url.split_once('?').map_or("", |(_, query)| query);
            let asked = Form::read(query).ok_or("the address of the page repeats a parameter")?;
            self.realm.rules().pages.push(url.to_owned());
            let get = |name: &str| asked.get(name).unwrap_or_default().to_owned();
            let mut answer = Answered::from([
                ("code", self.realm.rules().make("code")),
                ("state", get("state")),
                ("iss", self.realm.base().to_owned()),
            ]);
            if let Some(change) = &self.change {
                change(&mut answer);
            }
            let pairs: Vec<_> =
                answer.iter().map(|(name, value)| (*name, value.as_str())).collect();
            Ok(Some(format!("{}?{}", get("redirect_uri"), encode(&pairs))))
        })
    }
}
