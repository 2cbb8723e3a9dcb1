//! Small servers on loopback ports.

use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentcall::net::{NetContext, UrlPolicy};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

/// A context for loopback servers, trusting only the authorities given, with short times.
pub fn local_trusting(authorities: &[PathBuf]) -> NetContext {
    let mut net = NetContext::trusting_only(UrlPolicy { local: true }, authorities).unwrap();
    net.timeouts.exchange = Duration::from_millis(300);
    net.timeouts.first_byte = Duration::from_millis(250);
    net.timeouts.connect = Duration::from_millis(500);
    net
}

/// A context for plain loopback servers.
pub fn local() -> NetContext {
    local_trusting(&[])
}

/// Serves every connection with `handle`; gives the port.
pub async fn serve<F, R>(handle: F) -> u16
where
    F: Fn(TcpStream) -> R + Send + Sync + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(handle(stream));
        }
    });
    port
}

/// `http://127.0.0.1:PORT/path`.
pub fn url(port: u16, path: &str) -> Url {
    Url::parse(&format!("http://127.0.0.1:{port}{path}")).unwrap()
}

/// Reads a request's head, up to the empty line.
pub async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte).await {
            Ok(1) => head.push(byte[0]),
            _ => break,
        }
    }
    String::from_utf8(head).unwrap()
}

/// Writes bytes; the other side may have gone.
pub async fn write(stream: &mut (impl AsyncWrite + Unpin), bytes: impl AsRef<[u8]>) {
    let _ = stream.write_all(bytes.as_ref()).await;
    let _ = stream.flush().await;
}

/// Waits until the other side has closed.
pub async fn until_closed(stream: &mut (impl AsyncRead + Unpin)) {
    let mut rest = [0; 1024];
    while matches!(stream.read(&mut rest).await, Ok(1..)) {}
}

/// An answer with `Content-Length`.
pub fn answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

/// The heads of the requests a server got.
pub type Heads = Arc<Mutex<Vec<String>>>;

/// A server that answers each request with what `route` says about its path, and keeps the heads.
pub async fn serve_routes(route: impl Fn(&str, &str) -> String + Send + Sync + 'static) -> (u16, Heads) {
    let heads = Heads::default();
    let (kept, route) = (heads.clone(), Arc::new(route));
    let port = serve(move |mut stream| {
        let (kept, route) = (kept.clone(), route.clone());
        async move {
            let head = read_head(&mut stream).await;
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            let answer = route(&path, &head);
            kept.lock().unwrap().push(head);
            write(&mut stream, answer).await;
            until_closed(&mut stream).await;
        }
    })
    .await;
    (port, heads)
}

/// The paths that were asked for, in order.
pub fn paths(heads: &Heads) -> Vec<String> {
    heads.lock().unwrap().iter().map(|head| head.split(' ').nth(1).unwrap().to_owned()).collect()
}
