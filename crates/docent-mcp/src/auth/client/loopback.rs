//! Where the browser comes back to: a port of this machine, open while a login is under way.
//!
//! Whatever else connects to it, a browser that only tried, a program that looks for open ports, a
//! page that guesses, gets an answer and changes nothing: only the state of the login ends the
//! wait.

use std::time::Duration;

use reqwest::Url;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::fetch::refused;
use crate::auth::reach;
use crate::error::{Error, Result};

/// More connections at once are none of a browser.
const CONNECTIONS_MAX: usize = 16;
/// The longest request; an address with a code and a state is short.
const REQUEST_BYTES_MAX: usize = 16 << 10;
/// How long one may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// Where the browser comes back to.
pub(super) struct Redirect {
    pub(super) uri: String,
    /// Nothing listens if the address is elsewhere.
    listener: Option<TcpListener>,
}

impl Redirect {
    /// A free port, or the port of `preferred` if that is free.
    pub(super) async fn anywhere(preferred: Option<&str>) -> Result<Redirect> {
        let port = preferred.and_then(|uri| Url::parse(uri).ok()).and_then(|url| url.port());
        let listener = match port {
            Some(port) => match TcpListener::bind(("127.0.0.1", port)).await {
                Ok(listener) => listener,
                Err(_) => bind(0).await?,
            },
            None => bind(0).await?,
        };
        let address = listener.local_addr().map_err(|error| unusable(0, error))?;
        Ok(Redirect { uri: format!("http://{address}/callback"), listener: Some(listener) })
    }

    /// This address; if it is on this machine, its port is opened.
    pub(super) async fn at(uri: &str) -> Result<Redirect> {
        let url =
            Url::parse(uri).map_err(|_| Error::invalid_input("the redirect is no address"))?;
        let listener = match url.scheme() {
            "http" if reach::is_loopback(&url) => Some(bind(url.port().unwrap_or(80)).await?),
            "http" => {
                let message = "a redirect has to be https, or on this machine";
                return Err(Error::invalid_input(message));
            }
            _ => None,
        };
        Ok(Redirect { uri: uri.to_owned(), listener })
    }

    /// Waits for the answer to the login with this state: the address with all that came along.
    pub(super) async fn wait(&self, state: &str) -> String {
        let Some(listener) = &self.listener else { return std::future::pending().await };
        let (found, mut answers) = mpsc::channel(1);
        let mut open = JoinSet::new();
        loop {
            tokio::select! {
                Some(answer) = answers.recv() => {
                    // The page is on its way.
                    let _ = tokio::time::timeout(REQUEST_TIMEOUT, open.join_next()).await;
                    return answer;
                }
                accepted = listener.accept(), if open.len() < CONNECTIONS_MAX => match accepted {
                    Ok((socket, _)) => {
                        let visitor = Visitor {
                            uri: self.uri.clone(),
                            state: state.to_owned(),
                            found: found.clone(),
                        };
                        open.spawn(async move {
                            let _ = tokio::time::timeout(REQUEST_TIMEOUT, visitor.serve(socket)).await;
                        });
                    }
                    // Out of files, for instance: that passes.
                    Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
                },
                Some(_) = open.join_next(), if !open.is_empty() => {}
            }
        }
    }
}

async fn bind(port: u16) -> Result<TcpListener> {
    TcpListener::bind(("127.0.0.1", port)).await.map_err(|error| unusable(port, error))
}

fn unusable(port: u16, error: std::io::Error) -> Error {
    refused(format!("port {port} of this machine cannot be opened for the login"))
        .with_source(error)
}

/// Whoever connected.
struct Visitor {
    uri: String,
    state: String,
    found: mpsc::Sender<String>,
}

impl Visitor {
    async fn serve(self, mut socket: TcpStream) -> std::io::Result<()> {
        let Some(target) = read_target(&mut socket).await? else { return Ok(()) };
        let here = Url::parse(&self.uri).ok();
        let came = here.as_ref().and_then(|here| here.join(&target).ok());
        let fits = came.as_ref().zip(here.as_ref()).is_some_and(|(came, here)| {
            came.origin() == here.origin()
                && came.path() == here.path()
                && came.query_pairs().any(|(name, value)| name == "state" && value == self.state)
        });
        let (status, text) = match fits {
            true => ("200 OK", "That was it: this page can be closed."),
            false => ("404 Not Found", "This is no answer to a login that was started here."),
        };
        let page = format!(
            "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\n\
             cache-control: no-store\r\nreferrer-policy: no-referrer\r\n\
             x-content-type-options: nosniff\r\nconnection: close\r\n\r\n{text}",
            text.len()
        );
        socket.write_all(page.as_bytes()).await?;
        socket.shutdown().await?;
        if fits {
            let query = target.split_once('?').map_or("", |(_, query)| query);
            let address = self.uri.split('?').next().unwrap_or_default();
            let _ = self.found.send(format!("{address}?{query}")).await;
        }
        Ok(())
    }
}

/// The target of a GET request; anything else is not answered.
async fn read_target(socket: &mut TcpStream) -> std::io::Result<Option<String>> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() > REQUEST_BYTES_MAX || socket.read_buf(&mut head).await? == 0 {
            return Ok(None);
        }
    }
    let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let mut words = line.split(' ');
    Ok(match (words.next(), words.next(), words.next(), words.next()) {
        (Some("GET"), Some(target), Some(version), None) if version.starts_with("HTTP/1.") => {
            Some(target.to_owned())
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn visit(redirect: &str, target: &str) -> String {
        let url = Url::parse(redirect).unwrap();
        let mut socket =
            TcpStream::connect((url.host_str().unwrap(), url.port().unwrap())).await.unwrap();
        let request = format!("GET {target} HTTP/1.1\r\nhost: x\r\n\r\n");
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        let _ = socket.read_to_string(&mut answer).await;
        answer
    }

    /// Others on this machine, and connections that say nothing, neither end nor block a login.
    #[tokio::test]
    async fn only_the_answer_ends_the_wait() {
        let redirect = Redirect::anywhere(None).await.unwrap();
        let uri = redirect.uri.clone();
        let port = Url::parse(&uri).unwrap().port().unwrap();
        let waiting = tokio::spawn(async move { redirect.wait("right").await });
        let _silent = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        for target in [
            "/",
            "/callback",
            "/callback?code=evil&state=wrong",
            "/other?state=right",
            "//x/callback?state=right",
        ] {
            assert!(visit(&uri, target).await.starts_with("HTTP/1.1 404"), "{target}");
        }
        let page = visit(&uri, "/callback?code=c&state=right").await;
        assert!(page.starts_with("HTTP/1.1 200"), "{page}");
        assert!(!page.contains("code=c"));
        assert_eq!(waiting.await.unwrap(), format!("{uri}?code=c&state=right"));
    }

    /// [BOTH-AUTH-18] https, or this machine.
    #[tokio::test]
    async fn redirects_that_are_not_safe() {
        for uri in ["http://example.com/callback", "nowhere"] {
            assert!(Redirect::at(uri).await.is_err(), "{uri}");
        }
        let first = Redirect::anywhere(None).await.unwrap();
        assert!(Redirect::at(&first.uri).await.is_err(), "the port is taken");
        let second = Redirect::anywhere(Some(&first.uri)).await.unwrap();
        assert_ne!(first.uri, second.uri);
        let uri = first.uri.clone();
        drop(first);
        assert_eq!(Redirect::anywhere(Some(&uri)).await.unwrap().uri, uri);
    }
}
