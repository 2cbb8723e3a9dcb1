//! An agent that answers offers, over HTTP on a loopback port.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentcall::call::{Answering, Call, Reach, Settings};
use agentcall::net::{Credentials, NetContext, UrlPolicy};
use agentcall::transport::webrtc::{Options, open};
use agentcall::transport::{DialError, Incoming, Link};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;
use url::Url;

/// Longer than anything here takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(40);

/// What the agent does with the answer that it has prepared.
pub type Reply = Arc<dyn Fn(&str) -> Vec<u8> + Send + Sync>;

/// An agent, what it was asked, and the calls that came about.
pub struct Agent {
    pub port: u16,
    pub asked: Arc<Mutex<Vec<String>>>,
    pub calls: mpsc::UnboundedReceiver<Call>,
}

impl Agent {
    /// One that answers as it should.
    pub async fn good() -> Self {
        Self::answering(|answer| ok("application/sdp", answer)).await
    }

    /// One that sends what `reply` makes of its answer.
    pub async fn answering(reply: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, (told, calls)) = (Arc::default(), mpsc::unbounded_channel());
        let (kept, reply): (Arc<Mutex<Vec<String>>>, Reply) = (Arc::clone(&asked), Arc::new(reply));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, reply.clone(), kept.clone(), told.clone()));
            }
        });
        Self { port, asked, calls }
    }

    pub fn url(&self) -> Url {
        Url::parse(&format!("http://127.0.0.1:{}/agui?key=1", self.port)).unwrap()
    }

    /// Opens a call with it.
    pub async fn dial(&self) -> Result<Link, DialError> {
        self.dial_with(&local(), &Credentials::default()).await
    }

    pub async fn dial_with(&self, net: &NetContext, credentials: &Credentials) -> Result<Link, DialError> {
        timeout(PATIENCE, open(&self.url(), net, credentials, &options(), "proof-1"))
            .await
            .expect("an end in time")
    }

    /// The next call at its side.
    pub async fn call(&mut self) -> Call {
        timeout(PATIENCE, self.calls.recv()).await.expect("a call in time").unwrap()
    }

    /// What it was asked: heads and bodies.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    reply: Reply,
    asked: Arc<Mutex<Vec<String>>>,
    calls: mpsc::UnboundedSender<Call>,
) {
    let Some(request) = read(&mut stream).await else { return };
    let offer = request.split_once("\r\n\r\n").unwrap().1.to_owned();
    asked.lock().unwrap().push(request);
    let settings = Settings { reach: Reach::Loopback, ..Settings::default() };
    let answering = Answering::prepare(&offer, settings).await.unwrap();
    let answer = reply(answering.sdp());
    let _gone = stream.write_all(&answer).await;
    if let Ok(call) = answering.connect().await {
        let _nobody_asks = calls.send(call);
    }
}

/// One request with its body.
async fn read(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let mut some = [0; 16 * 1024];
        let n = stream.read(&mut some).await.ok().filter(|n| *n > 0)?;
        bytes.extend_from_slice(&some[..n]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head
            .lines()
            .find_map(|l| l.to_ascii_lowercase().strip_prefix("content-length: ").map(str::to_owned));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return Some(text);
        }
    }
}

/// An answer of HTTP.
pub fn http(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// An answer of this media type.
pub fn ok(media_type: &str, answer: &str) -> Vec<u8> {
    http("201 Created", &format!("Content-Type: {media_type}\r\n"), answer.as_bytes())
}

/// A context for loopback servers.
pub fn local() -> NetContext {
    NetContext::trusting_only(UrlPolicy { local: true }, &[]).unwrap()
}

/// Calls on this machine.
pub fn options() -> Options {
    let call = Settings { reach: Reach::Loopback, ..Settings::default() };
    Options { call, ..Options::default() }
}

/// The next thing that a link tells.
pub async fn next(link: &mut Link) -> Incoming {
    timeout(PATIENCE, link.incoming.recv()).await.expect("something in time").expect("an end that is told")
}
