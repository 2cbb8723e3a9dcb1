//! Agents that fall silent, and agents that do not read.

use std::time::Duration;

use agentcall::transport::websocket::Options;
use agentcall::transport::{Closure, Incoming, Link, Outgoing};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::peer::*;
use crate::server::*;

#[tokio::test]
async fn a_half_open_link_is_found_dead_and_one_that_answers_pings_is_not() {
    let silent = serve(|mut stream: TcpStream| async move {
        let head = read_head(&mut stream).await;
        write(&mut stream, switch(&head, "")).await;
        until_closed(&mut stream).await;
    })
    .await;
    let all = everything(dial(silent, options()).await.unwrap()).await;
    assert_eq!(ended(&all), "the agent has gone silent: nothing came for 0.6 s");

    // Ten pongs take longer than silence may last.
    let answering = serve(|mut stream: TcpStream| async move {
        let head = read_head(&mut stream).await;
        write(&mut stream, switch(&head, "")).await;
        for _ in 0..10 {
            let Some((9, payload)) = read_frame(&mut stream).await else { panic!("no ping") };
            write(&mut stream, frame(10, &payload)).await;
        }
        write(&mut stream, frame(8, b"\x03\xe8")).await;
        until_closed(&mut stream).await;
    })
    .await;
    let all = everything(dial(answering, options()).await.unwrap()).await;
    assert_eq!(ended(&all), "the agent closed the connection (code 1000)");
}

#[tokio::test]
async fn an_agent_that_never_reads_is_given_up_and_does_not_keep_us_from_hearing_it() {
    let port = serve(|mut stream: TcpStream| async move {
        let head = read_head(&mut stream).await;
        write(&mut stream, switch(&head, "")).await;
        write(&mut stream, frame(TEXT, b"still here")).await;
        std::future::pending::<()>().await;
    })
    .await;
    let Link { outgoing, mut incoming, .. } = dial(port, options()).await.unwrap();
    let flood =
        tokio::spawn(
            async move { while outgoing.send(Outgoing::Text("x".repeat(128 * 1024))).await.is_ok() {} },
        );
    assert_eq!(incoming.recv().await, Some(text("still here")));
    let end = incoming.recv().await;
    assert!(matches!(end, Some(Incoming::Closed(Closure::TimedOut { .. }))), "{end:?}");
    flood.await.unwrap();
}

#[tokio::test]
async fn an_agent_that_talks_but_takes_nothing_is_given_up_too() {
    let port = serve(|mut stream: TcpStream| async move {
        let head = read_head(&mut stream).await;
        write(&mut stream, switch(&head, "")).await;
        for _ in 0..200 {
            write(&mut stream, frame(TEXT, b"on and on")).await;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    let options = Options { dead_after: Duration::from_millis(600), ..options() };
    let Link { outgoing, mut incoming, .. } = dial(port, options).await.unwrap();
    tokio::spawn(async move { while outgoing.send(Outgoing::Text("x".repeat(128 * 1024))).await.is_ok() {} });
    let mut last = incoming.recv().await;
    while last == Some(text("on and on")) {
        last = incoming.recv().await;
    }
    let lost = Closure::Lost("the agent takes nothing any more".to_owned());
    assert_eq!(last, Some(Incoming::Closed(lost)));
}

/// The bounds of the profile, on a clock that runs by itself: a ping at 20 and 40 seconds, the end at 60.
#[tokio::test]
async fn silence_is_pinged_after_twenty_seconds_and_is_the_end_after_sixty() {
    let (heard, mut pings) = mpsc::unbounded_channel();
    let port = serve_upgraded(move |mut stream| {
        let heard = heard.clone();
        async move {
            while let Some((opcode, _)) = read_frame(&mut stream).await {
                let _ = heard.send((opcode, Instant::now()));
            }
        }
    })
    .await;
    let link = dial(port, Options::default()).await.unwrap();
    tokio::time::pause();
    let began = Instant::now();
    let all = everything(link).await;
    assert_eq!(ended(&all), "the agent has gone silent: nothing came for 60 s");
    assert_eq!(began.elapsed().as_secs(), 60);
    let mut came = Vec::new();
    while let Ok((opcode, at)) = pings.try_recv() {
        came.push((opcode, (at - began).as_secs()));
    }
    assert_eq!(came[..2], [(9, 20), (9, 40)], "{came:?}");
}

#[tokio::test]
async fn an_agent_that_answers_pings_may_be_silent_for_an_hour_and_then_has_another_minute() {
    const PINGS: u32 = 180;
    let port = serve_upgraded(|mut stream| async move {
        for _ in 0..PINGS {
            let Some((9, payload)) = read_frame(&mut stream).await else { panic!("no ping") };
            write(&mut stream, frame(10, &payload)).await;
        }
        until_closed(&mut stream).await;
    })
    .await;
    let link = dial(port, Options::default()).await.unwrap();
    tokio::time::pause();
    let began = Instant::now();
    assert_eq!(ended(&everything(link).await), "the agent has gone silent: nothing came for 60 s");
    assert_eq!(began.elapsed().as_secs(), 3600 + 60);
}

/// Sends until nothing is taken any more.
fn flood(outgoing: mpsc::Sender<Outgoing>) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move { while outgoing.send(Outgoing::Text("x".repeat(128 * 1024))).await.is_ok() {} })
}

#[tokio::test]
async fn an_agent_that_does_not_read_is_told_of_after_five_seconds_and_given_up_after_sixty() {
    let port = serve_upgraded(|stream| async move {
        std::future::pending::<()>().await;
        drop(stream);
    })
    .await;
    let Link { outgoing, mut incoming, .. } = dial(port, Options::default()).await.unwrap();
    let flood = flood(outgoing);
    tokio::time::pause();
    let began = Instant::now();
    let after = Duration::from_secs(5);
    assert_eq!(incoming.recv().await, Some(Incoming::Stalled { after }));
    assert_eq!(began.elapsed().as_secs(), 5);
    let end = incoming.recv().await;
    assert!(matches!(end, Some(Incoming::Closed(Closure::TimedOut { .. }))), "{end:?}");
    assert!((60..=62).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
    flood.await.unwrap();
}

#[tokio::test]
async fn an_agent_that_reads_again_is_told_of_as_well() {
    let (go, mut may_go) = mpsc::channel::<oneshot::Sender<()>>(1);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let head = read_head(&mut stream).await;
        write(&mut stream, switch(&head, "")).await;
        may_go.recv().await.unwrap().send(()).unwrap();
        while let Some((opcode, _)) = read_frame(&mut stream).await {
            if opcode == 8 {
                break;
            }
        }
        write(&mut stream, frame(8, b"\x03\xe8")).await;
        until_closed(&mut stream).await;
    });
    let options = Options { stalled_after: Duration::from_millis(100), ..patient() };
    let Link { outgoing, mut incoming, .. } = dial(port, options).await.unwrap();
    let flood = flood(outgoing.clone());
    assert!(matches!(incoming.recv().await, Some(Incoming::Stalled { .. })));
    let (reading, reads) = oneshot::channel();
    go.send(reading).await.unwrap();
    reads.await.unwrap();
    assert_eq!(incoming.recv().await, Some(Incoming::Flowing));
    flood.abort();
    outgoing.send(Outgoing::Close).await.unwrap();
    let mut last = incoming.recv().await;
    while matches!(last, Some(Incoming::Stalled { .. } | Incoming::Flowing)) {
        last = incoming.recv().await;
    }
    assert_eq!(last, Some(Incoming::Closed(Closure::ByUs)));
}

#[tokio::test]
async fn an_agent_that_pings_and_reads_no_answer_costs_no_more_than_a_bound() {
    const PINGS: u32 = 400_000;
    const PAYLOAD: usize = 100;
    let (tell, mut told) = mpsc::channel(1);
    let port = serve(move |mut stream: TcpStream| {
        let tell = tell.clone();
        async move {
            let head = read_head(&mut stream).await;
            write(&mut stream, switch(&head, "")).await;
            let payload = |n: u32| [&n.to_be_bytes()[..], &[b'p'; PAYLOAD - 4]].concat();
            for first in (0..PINGS).step_by(1_000) {
                let pings: Vec<u8> = (first..first + 1_000).flat_map(|n| frame(9, &payload(n))).collect();
                write(&mut stream, pings).await;
            }
            write(&mut stream, frame(TEXT, b"all sent")).await;
            // Only now it reads; the last pong answers the last ping.
            let (mut answers, mut newest) = (0, Vec::new());
            while newest != payload(PINGS - 1) {
                let Some((opcode, payload)) = read_frame(&mut stream).await else { panic!("it ended") };
                if opcode == 10 {
                    (answers, newest) = (answers + 1, payload);
                }
            }
            tell.send(answers).await.unwrap();
        }
    })
    .await;
    let options =
        Options { dead_after: Duration::from_secs(60), stalled_after: Duration::from_secs(60), ..options() };
    let Link { outgoing, mut incoming, .. } = dial(port, options).await.unwrap();
    assert_eq!(incoming.recv().await, Some(text("all sent")), "pings keep nothing from being heard");
    let answers: u32 = told.recv().await.unwrap();
    assert!(answers < PINGS / 2, "{answers} pongs were kept for {PINGS} pings");
    drop(outgoing);
}
