use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_05_a_remote_close_ends_the_call_at_once_after_what_came_before() {
    let Both { mut offering, mut answering } = both(here(), here()).await;
    say(&answering, "last words").await;
    answering.outgoing.send(ToPeer::Close).await.unwrap();
    assert_eq!(next(&mut offering).await, FromPeer::Text("last words".to_owned()));
    // The state of the connection would take eight seconds to follow.
    let started = std::time::Instant::now();
    assert_eq!(next(&mut offering).await, FromPeer::Closed(CallEnd::ByPeer));
    assert!(started.elapsed() < Duration::from_secs(6), "{:?}", started.elapsed());
    assert_eq!(next(&mut answering).await, FromPeer::Closed(CallEnd::ByUs));
    assert!(offering.incoming.recv().await.is_none() && answering.incoming.recv().await.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_queued_leaves_before_a_close() {
    let Both { offering, mut answering } = both(here(), here()).await;
    let Call { outgoing, incoming: _kept, .. } = offering;
    for n in 0..10 {
        outgoing.send(ToPeer::Text(format!("{n}{}", "x".repeat(50_000)))).await.unwrap();
    }
    drop(outgoing);
    for n in 0..10 {
        let FromPeer::Text(text) = next(&mut answering).await else { panic!("message {n} is lost") };
        assert!(text.starts_with(&n.to_string()));
    }
    assert_eq!(next(&mut answering).await, FromPeer::Closed(CallEnd::ByPeer));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_the_receiving_end_ends_the_call() {
    let Both { offering, mut answering } = both(here(), here()).await;
    let Call { incoming, outgoing, .. } = offering;
    drop(incoming);
    let end = next(&mut answering).await;
    assert!(matches!(end, FromPeer::Closed(CallEnd::ByPeer | CallEnd::Lost { .. })), "{end:?}");
    drop(outgoing);
}

/// A peer without a task: what is sent to it is never answered, as if it had been killed.
async fn with_a_peer_that_dies(settings: Settings) -> Call {
    let other = std::thread::spawn;
    let ours = Offering::prepare(settings).await.expect("an offer");
    let offer = ours.sdp().to_owned();
    let (answered, answer) = tokio::sync::oneshot::channel();
    let (die, dead) = tokio::sync::oneshot::channel::<()>();
    let peer = other(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let call = runtime.block_on(async move {
            let theirs = Answering::prepare(&offer, here()).await.expect("an answer");
            answered.send(theirs.sdp().to_owned()).expect("somebody waits");
            let call = theirs.connect().await.expect("a call");
            dead.await.expect("its end");
            call
        });
        // Its tasks are gone before anything can be said.
        runtime.shutdown_background();
        drop(call);
    });
    let call = ours.connect(&answer.await.expect("an answer")).await.expect("a call");
    die.send(()).expect("a peer");
    peer.join().expect("no panic");
    call
}

fn impatient() -> Settings {
    Settings {
        keep_alive: Duration::from_millis(100),
        unreachable_after: Duration::from_millis(600),
        lost_after: Duration::from_millis(900),
        ..here()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_06_e13_a_peer_that_dies_is_shown_as_unreachable_and_then_ends_the_call() {
    let mut call = with_a_peer_that_dies(impatient()).await;
    until(&mut call.facts, |facts| facts.state == CallState::Unreachable).await;
    let end = next(&mut call).await;
    assert_eq!(end, FromPeer::Closed(CallEnd::Lost { after: Duration::from_millis(1500) }));
    // The stack would still take it and say that all is well.
    until(&mut call.facts, |facts| facts.state == CallState::Closed).await;
    timeout(PATIENCE, call.outgoing.closed()).await.expect("the way out is closed");
    assert!(call.outgoing.send(ToPeer::Text("into nowhere".to_owned())).await.is_err());
}

/// The sockets and other files that this process has open.
#[cfg(target_os = "linux")]
fn files() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("its files").count()
}

#[cfg(target_os = "linux")]
async fn until_files_are(most: usize) {
    let waiting = async {
        while files() > most {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(timeout(PATIENCE, waiting).await.is_ok(), "{} files are open, {most} are expected", files());
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_03_e5_fifty_calls_leave_no_socket_behind() {
    drop(both(here(), here()).await);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let before = files();
    for n in 0..50 {
        let Both { mut offering, answering } = both(here(), here()).await;
        match n % 3 {
            0 => {
                offering.outgoing.send(ToPeer::Close).await.unwrap();
                assert_eq!(next(&mut offering).await, FromPeer::Closed(CallEnd::ByUs));
            }
            1 => drop(answering),
            _ => drop(offering),
        }
    }
    until_files_are(before).await;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hazard_03_an_offer_that_is_dropped_or_refused_leaves_no_socket_behind() {
    drop(Offering::prepare(here()).await.unwrap());
    tokio::time::sleep(Duration::from_millis(500)).await;
    let before = files();
    for _ in 0..5 {
        drop(Offering::prepare(here()).await.unwrap());
        let refused = Offering::prepare(here()).await.unwrap().connect("v=0").await;
        assert!(matches!(refused, Err(CallError::Sdp(_))));
        let aborted = tokio::spawn(async { Offering::prepare(here()).await.map(drop) });
        aborted.abort();
        let _aborted = aborted.await;
    }
    until_files_are(before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn e13_closing_is_asked_for_from_a_task_of_its_own_and_is_bounded() {
    let Both { mut offering, mut answering } = both(here(), here()).await;
    // Nobody takes what came: its task waits for us, and closing must not wait for it.
    for _ in 0..3 {
        say(&answering, &"x".repeat(100_000)).await;
    }
    let started = std::time::Instant::now();
    offering.outgoing.send(ToPeer::Close).await.unwrap();
    while next(&mut offering).await != FromPeer::Closed(CallEnd::ByUs) {}
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert_eq!(next(&mut answering).await, FromPeer::Closed(CallEnd::ByPeer));
}
