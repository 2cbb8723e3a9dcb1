//! WebSocket links as they are meant to be: frames both ways, sizes, a proper end.

use std::time::Duration;

use agentcall::transport::{Closure, Incoming, Link, Outgoing};
use tokio::net::TcpStream;

use crate::peer::*;
use crate::server::*;

<<<<<<< HEAD
=======
/// Short times, so that silence ends within a test.
fn options() -> Options {
    let ms = Duration::from_millis;
    Options { ping_every: ms(40), dead_after: ms(200), close_within: ms(150), ..Options::default() }
}

/// Times that never matter in a test.
fn patient() -> Options {
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

async fn dial(port: u16, options: Options) -> Result<Link, NetError> {
    open(&url(port, "/agui"), &local(), &Credentials::default(), options).await
}

/// One frame from a server, unmasked.
fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
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

const TEXT: u8 = 1;

/// One frame from a client: its opcode and unmasked payload; none at the end of the stream.
async fn read_frame(stream: &mut TcpStream) -> Option<(u8, Vec<u8>)> {
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

>>>>>>> main
/// What an agent still says after `session.end` must not be lost to a hasty close.
#[tokio::test]
async fn frames_that_cross_our_close_still_arrive() {
    let port = serve(|mut stream: TcpStream| async move {
        let head = read_head(&mut stream).await;
        write(&mut stream, switch(&head, "")).await;
        let Some((8, code)) = read_frame(&mut stream).await else { panic!("no close") };
        write(&mut stream, [frame(TEXT, b"one more thing"), frame(8, &code)].concat()).await;
        until_closed(&mut stream).await;
    })
    .await;
    let link = dial(port, patient()).await.unwrap();
    link.outgoing.send(Outgoing::Close).await.unwrap();
    assert_eq!(everything(link).await, [text("one more thing"), Incoming::Closed(Closure::ByUs)]);
}

#[tokio::test]
async fn frames_go_both_ways_and_the_upgrade_asks_for_nothing_extra() {
    let (port, heads) = {
        let heads = Heads::default();
        let kept = heads.clone();
        let port = serve(move |mut stream: TcpStream| {
            let kept = kept.clone();
            async move {
                let head = read_head(&mut stream).await;
                write(&mut stream, switch(&head, "")).await;
                kept.lock().unwrap().push(head);
                while let Some((opcode, payload)) = read_frame(&mut stream).await {
                    write(&mut stream, frame(opcode, &payload)).await;
                }
            }
        })
        .await;
        (port, heads)
    };
    let mut link = dial(port, patient()).await.unwrap();
    assert_eq!((link.peer.status, link.peer.tls, link.peer.authorized), (Some(101), false, false));
    link.outgoing.send(Outgoing::Text("grüß".to_owned())).await.unwrap();
    assert_eq!(link.incoming.recv().await, Some(text("grüß")));
    link.outgoing.send(Outgoing::Close).await.unwrap();
    assert_eq!(link.incoming.recv().await, Some(Incoming::Closed(Closure::ByUs)));
    assert_eq!(link.incoming.recv().await, None);
    let head = heads.lock().unwrap()[0].to_ascii_lowercase();
    for absent in ["authorization", "a2a-extensions", "sec-websocket-protocol", "sec-websocket-extensions"] {
        assert!(!head.contains(absent), "{head}");
    }
}

#[tokio::test]
async fn binary_and_oversized_frames_are_reported_and_the_link_goes_on() {
    let mut bytes = frame(2, b"\x00\x01\x02");
    bytes.extend(frame(TEXT, &vec![b'x'; 128 * 1024 + 1]));
    bytes.extend(frame(TEXT, &vec![b'y'; 128 * 1024]));
    bytes.extend(frame(8, b"\x03\xe8bye"));
    let all = everything(link_to_one_that_sends(bytes, false).await).await;
    let Incoming::Text(full) = &all[2] else { panic!("{:?}", all[2]) };
    assert_eq!(full.len(), 128 * 1024);
    assert_eq!(all[..2], [Incoming::Binary { bytes: 3 }, Incoming::Oversized { bytes: 131_073 }]);
    assert_eq!(ended(&all), "the agent closed the connection (code 1000: bye)");
}

#[tokio::test]
async fn our_close_ends_in_time_though_the_agent_never_answers_it_or_never_reads() {
    let deaf = serve(|mut stream: TcpStream| async move {
        let head = read_head(&mut stream).await;
        write(&mut stream, switch(&head, "")).await;
        std::future::pending::<()>().await;
    })
    .await;
    for dropped in [false, true] {
        let Link { outgoing, mut incoming, .. } = dial(deaf, patient()).await.unwrap();
        if dropped {
            drop(outgoing);
        } else {
            outgoing.send(Outgoing::Close).await.unwrap();
        }
        let end = tokio::time::timeout(Duration::from_millis(800), incoming.recv()).await.unwrap();
        assert_eq!(end, Some(Incoming::Closed(Closure::ByUs)));
    }
}
