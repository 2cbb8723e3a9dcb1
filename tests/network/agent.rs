//! The embedded agent as a server that strangers can reach: pages in a browser, rebound names, clients that
//! dribble, never end, or come in crowds.

use std::time::Duration;

use agentcall::agent::{AgentConfig, Running, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::server::write;

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(10);

async fn agent() -> Running {
    serve(AgentConfig::default()).await.unwrap()
}

async fn connect(agent: &Running) -> TcpStream {
    TcpStream::connect(agent.addr).await.unwrap()
}

/// The status of the answer; none if the connection was closed without one.
async fn status(stream: &mut TcpStream) -> Option<u16> {
    let mut line = Vec::new();
    while !line.ends_with(b"\r\n") {
        // A reset is an end without an answer as well.
        match stream.read_u8().await {
            Ok(byte) => line.push(byte),
            Err(_) => return None,
        }
    }
    String::from_utf8(line).unwrap().split(' ').nth(1)?.parse().ok()
}

/// What a request with these lines is answered.
async fn ask(agent: &Running, path: &str, lines: &str) -> Option<u16> {
    let mut stream = connect(agent).await;
    write(&mut stream, format!("GET {path} HTTP/1.1\r\n{lines}\r\n")).await;
    timeout(PATIENCE, status(&mut stream)).await.expect("an answer or an end")
}

/// What an upgrade with these lines is answered.
async fn upgrade(agent: &Running, lines: &str) -> Option<u16> {
    ask(agent, "/agui", &format!("{UPGRADE}{lines}")).await
}

/// What asks for an upgrade.
const UPGRADE: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

const CARD: &str = "/.well-known/agent-card.json";

#[tokio::test]
async fn a_page_of_another_origin_can_neither_read_the_card_nor_open_a_session() {
    let agent = agent().await;
    let own = format!("Host: {}\r\n", agent.addr);
    assert_eq!(upgrade(&agent, &own).await, Some(101), "a program sends no Origin");
    let same = format!("{own}Origin: http://{}\r\n", agent.addr);
    assert_eq!(upgrade(&agent, &same).await, Some(101));
    for origin in ["https://evil.example", "http://localhost:3000", "null", "file://", "moz-extension://a"] {
        let lines = format!("{own}Origin: {origin}\r\n");
        assert_eq!(upgrade(&agent, &lines).await, Some(403), "{origin}");
        assert_eq!(ask(&agent, CARD, &lines).await, Some(403), "{origin}");
    }
}

/// The page's own name points at 127.0.0.1, so that Host and Origin agree: DNS rebinding.
#[tokio::test]
async fn a_rebound_name_is_not_answered_wherever_the_agent_listens() {
    for listen in ["127.0.0.1:0", "0.0.0.0:0"] {
        let config = AgentConfig { listen: listen.parse().unwrap(), ..AgentConfig::default() };
        let mut agent = serve(config).await.unwrap();
        let port = agent.addr.port();
        agent.addr.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
        for name in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example."] {
            let lines = format!("Host: {name}:{port}\r\nOrigin: http://{name}:{port}\r\n");
            assert_eq!(upgrade(&agent, &lines).await, Some(421), "{listen} {name}");
            assert_eq!(ask(&agent, CARD, &format!("Host: {name}:{port}\r\n")).await, Some(421));
        }
        for name in ["localhost", "127.0.0.1", "[::1]", "mybox.local"] {
            assert_eq!(ask(&agent, CARD, &format!("Host: {name}:{port}\r\n")).await, Some(200), "{name}");
        }
        assert_eq!(ask(&agent, CARD, "").await, Some(400), "no Host");
        assert_eq!(ask(&agent, CARD, "Host: 127.0.0.1\r\nHost: evil.example\r\n").await, Some(400));
        agent.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_that_comes_slowly_or_never_ends_the_connection_after_ten_seconds() {
    let agent = agent().await;
    for begin in ["", "GET ", "GET /agui HTTP/1.1\r\nHost: 127", "GET /agui HTTP/1.1\r\nHost: a\r\n"] {
        let mut stream = connect(&agent).await;
        write(&mut stream, begin).await;
        let began = Instant::now();
        assert!(matches!(status(&mut stream).await, None | Some(408)), "{begin:?}");
        let took = began.elapsed().as_secs();
        assert!((9..=20).contains(&took), "{begin:?} was held for {took} s");
    }
}

#[tokio::test(start_paused = true)]
async fn a_byte_a_second_is_no_way_to_hold_a_place() {
    let agent = agent().await;
    let (mut reading, mut writing) = connect(&agent).await.into_split();
    let began = Instant::now();
    let dribble = tokio::spawn(async move {
        for byte in b"GET /agui HTTP/1.1\r\nHost: 127.0.0.1\r\nX-a: ".iter().chain([b'a'; 600].iter()) {
            if writing.write_all(&[*byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    let mut rest = Vec::new();
    let _end_or_reset = reading.read_to_end(&mut rest).await;
    dribble.abort();
    assert!(began.elapsed() <= Duration::from_secs(20), "held for {:?}", began.elapsed());
}

#[tokio::test]
async fn a_head_without_end_is_refused_at_its_bound() {
    let agent = agent().await;
    let begins = ["GET /", "GET / HTTP/1.1\r\nX-a: ", "GET / HTTP/1.1\r\nHost: a\r\n", "G"];
    let repeats = ["a", "a", "X-a: b\r\n", "E"];
    for (begin, repeat) in begins.into_iter().zip(repeats) {
        let (mut reading, mut writing) = connect(&agent).await.into_split();
        let block = repeat.repeat(4096);
        let flood = tokio::spawn(async move {
            let mut going = writing.write_all(begin.as_bytes()).await.is_ok();
            while going {
                going = writing.write_all(block.as_bytes()).await.is_ok();
            }
        });
        let mut answer = Vec::new();
        let ended = timeout(PATIENCE, reading.read_to_end(&mut answer)).await;
        assert!(ended.is_ok(), "{begin:?} is still listened to");
        let answer = String::from_utf8_lossy(&answer);
        // A reset may overtake the answer.
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
        assert!(timeout(PATIENCE, flood).await.is_ok(), "{begin:?} is still read");
    }
    assert_eq!(ask(&agent, CARD, "Host: 127.0.0.1\r\n").await, Some(200), "and others are served");
}

#[tokio::test]
async fn a_crowd_that_says_nothing_shuts_nobody_out() {
    let agent = agent().await;
    let mut crowd = Vec::new();
    for _ in 0..300 {
        crowd.push(connect(&agent).await);
        // Some begin a request.
        if crowd.len() % 3 == 0 {
            write(crowd.last_mut().unwrap(), "GET /agui HTTP/1.1\r\nX: ").await;
        }
    }
    assert_eq!(ask(&agent, CARD, "Host: 127.0.0.1\r\n").await, Some(200));
    assert_eq!(upgrade(&agent, "Host: 127.0.0.1\r\n").await, Some(101));
    // The oldest have made room.
    let ended = timeout(PATIENCE, status(&mut crowd[0])).await.expect("an end");
    assert!(matches!(ended, None | Some(408)), "{ended:?}");
}

#[tokio::test]
async fn sixty_four_sessions_are_held_and_the_next_is_refused_until_one_goes() {
    let agent = agent().await;
    let mut sessions = Vec::new();
    for _ in 0..64 {
        let mut session = connect(&agent).await;
        write(&mut session, format!("GET /agui HTTP/1.1\r\nHost: 127.0.0.1\r\n{UPGRADE}\r\n")).await;
        assert_eq!(timeout(PATIENCE, status(&mut session)).await.expect("an answer"), Some(101));
        sessions.push(session);
    }
    assert_eq!(upgrade(&agent, "Host: 127.0.0.1\r\n").await, Some(503), "the sixty-fifth");
    assert_eq!(ask(&agent, CARD, "Host: 127.0.0.1\r\n").await, Some(200), "the card is there all the same");
    sessions.pop();
    // When the agent notices that one has gone is up to the system.
    let taken = async {
        while upgrade(&agent, "Host: 127.0.0.1\r\n").await != Some(101) {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, taken).await.expect("a place is free again");
    assert_eq!(sessions.len(), 63);
}

/// Mute connections give their places back by themselves.
#[tokio::test(start_paused = true)]
async fn a_crowd_that_says_nothing_is_gone_after_its_time() {
    let agent = agent().await;
    let mut crowd = Vec::new();
    for _ in 0..64 {
        crowd.push(connect(&agent).await);
    }
    for mute in &mut crowd {
        assert!(matches!(status(mute).await, None | Some(408)));
    }
    assert_eq!(ask(&agent, CARD, "Host: 127.0.0.1\r\n").await, Some(200));
}
