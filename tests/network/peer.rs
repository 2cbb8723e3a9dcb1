//! An agent's end of a WebSocket, written by hand, and what a test hears of the link to it.

use std::time::Duration;

use agentcall::net::{Credentials, NetError};
use agentcall::transport::websocket::{Options, open};
use agentcall::transport::{Incoming, Link};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use crate::server::*;

/// Short times, so that silence ends within a test.
pub fn options() -> Options {
    let ms = Duration::from_millis;
    Options { ping_every: ms(100), dead_after: ms(600), close_within: ms(150), ..Options::default() }
}

/// Times that never matter in a test.
pub fn patient() -> Options {
    let long = Duration::from_secs(30);
    Options {
        ping_every: long,
        dead_after: long,
        close_within: Duration::from_millis(150),
        ..Options::default()
    }
}

pub fn switch(head: &str, extra: &str) -> String {
    let key = head.lines().find_map(|line| line.strip_prefix("sec-websocket-key: ")).unwrap();
    let accept = derive_accept_key(key.as_bytes());
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n{extra}\r\n"
    )
}

pub async fn dial(port: u16, options: Options) -> Result<Link, NetError> {
    open(&url(port, "/agui"), &local(), &Credentials::default(), options).await
}

/// One frame from a server, unmasked.
pub fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x80 | opcode];
    match payload.len() {
        n @ 0..=125 => bytes.push(u8::try_from(n).unwrap()),
        n @ 126..=0xffff => {
            bytes.push(126);
            bytes.extend(u16::try_from(n).unwrap().to_be_bytes());
        }
        n => {
            bytes.push(127);
            bytes.extend((n as u64).to_be_bytes());
        }
    }
    bytes.extend(payload);
    bytes
}

pub const TEXT: u8 = 1;

/// One frame from a client: its opcode and unmasked payload; none at the end of the stream.
pub async fn read_frame(stream: &mut TcpStream) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 2];
    stream.read_exact(&mut head).await.ok()?;
    assert!(head[1] & 0x80 != 0, "clients mask");
    let size = match head[1] & 0x7f {
        126 => usize::from(stream.read_u16().await.ok()?),
        127 => usize::try_from(stream.read_u64().await.ok()?).unwrap(),
        small => usize::from(small),
    };
    let mut mask = [0; 4];
    stream.read_exact(&mut mask).await.ok()?;
    let mut payload = vec![0; size];
    stream.read_exact(&mut payload).await.ok()?;
    payload.iter_mut().enumerate().for_each(|(i, byte)| *byte ^= mask[i % 4]);
    Some((head[0] & 0x0f, payload))
}

/// A link to an agent that sends `bytes` once the link is open, then waits for the close, or hangs up.
pub async fn link_to_one_that_sends(bytes: Vec<u8>, hangs_up: bool) -> Link {
    let port = serve(move |mut stream: TcpStream| {
        let bytes = bytes.clone();
        async move {
            let head = read_head(&mut stream).await;
            write(&mut stream, switch(&head, "")).await;
            write(&mut stream, bytes).await;
            if !hangs_up {
                until_closed(&mut stream).await;
            }
        }
    })
    .await;
    dial(port, patient()).await.unwrap()
}

/// Everything that comes, to the end.
pub async fn everything(mut link: Link) -> Vec<Incoming> {
    let mut all = Vec::new();
    while let Some(incoming) = link.incoming.recv().await {
        all.push(incoming);
    }
    all
}

pub fn text(words: &str) -> Incoming {
    Incoming::Text(words.to_owned())
}

pub fn ended(incoming: &[Incoming]) -> String {
    match incoming {
        [.., Incoming::Closed(closure)] => closure.to_string(),
        other => panic!("no end: {other:?}"),
    }
}

/// A frame that is not the last of its message.
pub fn begun(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = frame(opcode, payload);
    bytes[0] &= 0x7f;
    bytes
}

/// An agent that upgrades every connection and goes on as `then` says.
pub async fn serve_upgraded<F, R>(then: F) -> u16
where
    F: Fn(TcpStream) -> R + Send + Sync + Clone + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    serve(move |mut stream: TcpStream| {
        let then = then.clone();
        async move {
            let head = read_head(&mut stream).await;
            write(&mut stream, switch(&head, "")).await;
            then(stream).await;
        }
    })
    .await
}
