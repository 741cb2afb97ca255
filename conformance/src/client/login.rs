//! Logging in, in each of the ways that the scenarios ask for, with a browser that does not exist.

use docent_mcp::auth::{IdentityProvider, OAuth, PrivateKey, Secret, Visit};
use docent_mcp::transport::BoxFuture;
use docent_mcp::transport::http::HookError;
use docent_mcp::{Error, ErrorKind};
use serde_json::Value;

use super::{Failure, Task};

/// The document that the suite expects clients to name; it does not exist either.
const METADATA_URL: &str = "https://conformance-test.local/client-metadata.json";

/// How the client of a scenario logs in.
pub(crate) fn oauth(task: &Task) -> Result<OAuth, Failure> {
    let given = |name: &str| match &task.context[name] {
        Value::String(text) => Ok(text.clone()),
        _ => Err(format!("the scenario does not say what {name} is")),
    };
    let secret = |name: &str| given(name).map(Secret::from);
    Ok(match task.scenario.as_str() {
        "auth/client-credentials-basic" => {
            OAuth::machine(given("client_id")?).client_secret(secret("client_secret")?)
        }
        "auth/client-credentials-jwt" => OAuth::machine(given("client_id")?)
            .private_key(PrivateKey::from_pem(&given("private_key_pem")?)?),
        "auth/wif-jwt-bearer" => OAuth::workload(given("client_id")?, secret("valid_jwt")?),
        "auth/enterprise-managed-authorization" => {
            let provider = IdentityProvider::new(
                given("idp_token_endpoint")?,
                given("idp_client_id")?,
                secret("idp_id_token")?,
            );
            OAuth::enterprise(given("client_id")?, provider).client_secret(secret("client_secret")?)
        }
        "auth/pre-registration" => {
            user().client_id(given("client_id")?).client_secret(secret("client_secret")?)
        }
        _ => user().client_metadata_url(METADATA_URL)?,
    })
}

/// The client has to see that something is wrong, and say what.
pub(crate) async fn refused(task: &Task) -> Result<(), Failure> {
    let Err(failure) = super::tools::call_test_tool(task).await else {
        return Err("the client did not notice anything".into());
    };
    match failure.downcast_ref::<Error>() {
        Some(error) if error.kind() == ErrorKind::Authorization => Ok(()),
        Some(error) if error.http_status() == Some(403) => Ok(()),
        _ => Err(failure),
    }
}

fn user() -> OAuth {
    OAuth::user("docent-conformance").visit(Headless)
}

/// Goes to the page and tells where it was sent back to, without going there.
struct Headless;

impl Visit for Headless {
    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Option<String>, HookError>> {
        Box::pin(async move {
            let client =
                reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build()?;
            let response = client.get(url).send().await?;
            let location = response.headers().get("location").ok_or("the page asks for more")?;
            Ok(Some(location.to_str()?.to_owned()))
        })
    }
}
