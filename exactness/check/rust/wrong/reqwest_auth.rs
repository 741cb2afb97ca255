// invented: basic_authentication; right: basic_auth
use reqwest::Client;

async fn secret(client: &Client, password: &str) -> Result<String, reqwest::Error> {
    let request = client.get("https://service.example/secret");
    let response = request.basic_authentication("me", Some(password)).send().await?;
    response.error_for_status()?.text().await
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    println!("{}", secret(&Client::new(), "x").await?);
    Ok(())
}
