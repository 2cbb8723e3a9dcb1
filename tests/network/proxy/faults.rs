//! F8: proxies that fail, each in its own way; nothing hangs, and the line says what it was.

use super::*;

#[tokio::test]
async fn each_way_in_which_a_proxy_fails_reads_plainly() {
    use NetErrorKind::{Connect, Timeout};
    let fields = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X-a: b\r\n".repeat(101));
    let long = format!("HTTP/1.1 200 OK\r\nX-a: {}", "a".repeat(32 * 1024));
    let rows = [
        (
            "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
            false,
            Connect,
            "it wants a user name and password (407)",
        ),
        (
            "HTTP/1.1 403 Forbidden\r\nContent-Length: 9999999\r\n\r\n<html>",
            false,
            Connect,
            "it refused to open a way to 8.8.8.8:443 (403 Forbidden)",
        ),
        (
            "HTTP/1.1 302 Found\r\nLocation: https://login.example/\r\n\r\n",
            false,
            Connect,
            "it refused to open a way to 8.8.8.8:443 (302 Found)",
        ),
        (
            "HTTP/1.1 502 Bad Gateway\r\n\r\n",
            true,
            Connect,
            "it refused to open a way to 8.8.8.8:443 (502 Bad Gateway)",
        ),
        ("SSH-2.0-OpenSSH_9.9\r\n", false, Connect, "its answer to CONNECT is not HTTP"),
        ("\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}", false, Connect, "its answer to CONNECT is not HTTP"),
        (&fields, false, Connect, "its answer to CONNECT has more than 16,384 bytes of header"),
        (&long, false, Connect, "its answer to CONNECT has more than 16,384 bytes of header"),
        ("", true, Connect, "it ended the connection before its answer to CONNECT was complete"),
        (
            "HTTP/1.1 200 OK\r\nX-",
            true,
            Connect,
            "it ended the connection before its answer to CONNECT was complete",
        ),
        ("", false, Timeout, "it gave no complete answer to CONNECT within 0.3 s"),
        ("HTTP/1.1 200 OK\r\nX-", false, Timeout, "it gave no complete answer to CONNECT within 0.3 s"),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n",
            false,
            Timeout,
            "it gave no complete answer to CONNECT within 0.3 s",
        ),
        (
            "HTTP/1.1 200 OK\r\n\r\nhello",
            false,
            Connect,
            "it sent 5 bytes of its own where the TLS handshake begins",
        ),
    ];
    for (text, hangs_up, kind, fault) in rows {
        let (port, heads) = answers(vec![text.to_owned()], hangs_up).await;
        let proxy = format!("http://127.0.0.1:{port}");
        let (mut net, _) = through(server(&proxy), &["8.8.8.8"], &[]);
        if kind == Timeout {
            net.timeouts.address = Duration::from_millis(300);
        }
        let error = card(&net, AGENT).await.unwrap_err();
        assert_eq!(error.to_string(), format!("no way to agent.example through the proxy {proxy}: {fault}"));
        assert_eq!((error.kind(), heads.lock().unwrap().len()), (kind, 1), "{error}");
        assert!(error.hint().is_some() && !error.is_refused(), "--wait waits for agents, not for proxies");
        let link = open(&Url::parse(AGENT).unwrap(), &net, &Credentials::default(), Options::default()).await;
        assert_eq!(link.err().unwrap().to_string(), error.to_string(), "the link says the same");
    }
}

#[tokio::test]
async fn a_proxy_that_sends_a_byte_at_a_time_or_interim_answers_for_ever_is_given_up_in_time() {
    for text in ["H", "HTTP/1.1 100 Continue\r\n\r\n"] {
        let port = serve(move |mut stream: TcpStream| async move {
            read_head(&mut stream).await;
            let whole = "HTTP/1.1 200 OK\r\nX-a: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n\r\n";
            for index in 0..100_000_usize {
                let bytes = if text.len() == 1 { &whole[index.min(60)..=index.min(60)] } else { text };
                write(&mut stream, bytes).await;
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await;
        let (mut net, _) = through(server(&format!("http://127.0.0.1:{port}")), &["8.8.8.8"], &[]);
        net.timeouts.address = Duration::from_millis(300);
        let error = card(&net, AGENT).await.unwrap_err().to_string();
        assert!(error.ends_with("it gave no complete answer to CONNECT within 0.3 s"), "{error}");
    }
}

#[tokio::test]
async fn a_proxy_that_cannot_be_reached_is_named() {
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    for (proxy, expected) in [
        (format!("http://{closed}"), format!("the proxy itself cannot be reached: {closed}: ")),
        (
            "http://nowhere.example:3128".to_owned(),
            "the proxy itself cannot be reached: the host nowhere.example cannot be resolved: no such name"
                .to_owned(),
        ),
    ] {
        let (net, _) = through(server(&proxy), &["8.8.8.8"], &[]);
        let error = card(&net, AGENT).await.unwrap_err();
        let begin = format!("no way to agent.example through the proxy {proxy}: {expected}");
        assert!(error.to_string().starts_with(&begin), "{error}");
        assert!(error.hint().unwrap().contains("--proxy none"));
    }
}

#[tokio::test]
async fn where_the_proxy_cannot_reach_one_address_the_next_is_asked_for_and_after_another_refusal_none() {
    let bad = || "HTTP/1.1 502 Bad Gateway\r\n\r\n".to_owned();
    let (agent, authority, _directory) = serve_tls(&["agent.example"], 2999, reply).await;
    let (good, _) = leads_to(agent).await;
    let asked = |heads: &Heads| -> Vec<String> {
        heads.lock().unwrap().iter().map(|head| head.lines().next().unwrap().to_owned()).collect()
    };
    let (port, heads) = answers(vec![bad(), "HTTP/1.1 407 No\r\n\r\n".to_owned()], true).await;
    let names = ["2606:4700::1111", "8.8.8.8", "8.8.4.4"];
    let (net, _) = through(server(&format!("http://127.0.0.1:{port}")), &names, &[authority]);
    let error = card(&net, AGENT).await.unwrap_err().to_string();
    assert!(error.ends_with("(407)"), "{error}");
    assert_eq!(asked(&heads), ["CONNECT [2606:4700::1111]:443 HTTP/1.1", "CONNECT 8.8.8.8:443 HTTP/1.1"]);
    let mut net = net;
    net.proxies = server(&format!("http://127.0.0.1:{good}"));
    assert_eq!(card(&net, AGENT).await.unwrap().peer.to_string(), "[2606:4700::1111]:443");
}
