//! WebSocket links as they are meant to be: frames both ways, sizes, a proper end.

use std::time::Duration;

use agentcall::transport::{Closure, Incoming, Link, Outgoing};
use tokio::net::TcpStream;

use crate::peer::*;
use crate::server::*;

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
