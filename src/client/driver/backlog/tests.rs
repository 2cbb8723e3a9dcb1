use futures_util::FutureExt;
use proptest::prelude::*;

use super::*;

fn text(bytes: usize) -> Outgoing {
    Outgoing::Text("x".repeat(bytes))
}

/// Lets the backlog go on until it waits.
fn go_on(backlog: &mut Backlog) -> Option<Overflow> {
    backlog.drain().now_or_never()
}

#[test]
fn what_the_transport_has_room_for_does_not_wait() {
    let (transport, mut taken) = mpsc::channel(2);
    let mut backlog = Backlog::new(transport);
    backlog.put(text(1));
    backlog.put(Outgoing::Close);
    assert_eq!(backlog.waiting(), 0);
    assert_eq!((taken.try_recv(), taken.try_recv()), (Ok(text(1)), Ok(Outgoing::Close)));
}

#[test]
fn more_bytes_than_the_bound_end_the_link_and_no_fewer() {
    let (transport, _never_read) = mpsc::channel(1);
    let mut backlog = Backlog::new(transport);
    backlog.put(text(1));
    backlog.put(text(BYTES));
    backlog.put(Outgoing::Close);
    assert_eq!((backlog.waiting(), go_on(&mut backlog)), (2, None));
    backlog.put(text(1));
    assert_eq!(go_on(&mut backlog), Some(Overflow { messages: 3, bytes: BYTES + 1 }));
}

#[test]
fn more_messages_than_the_bound_end_the_link_and_no_fewer() {
    let (transport, _never_read) = mpsc::channel(1);
    let mut backlog = Backlog::new(transport);
    for _ in 0..=MESSAGES {
        backlog.put(text(1));
    }
    assert_eq!(go_on(&mut backlog), None);
    backlog.put(Outgoing::Close);
    assert_eq!(go_on(&mut backlog), Some(Overflow { messages: MESSAGES + 1, bytes: MESSAGES }));
}

#[test]
fn a_transport_that_is_gone_lets_nothing_pile_up() {
    let (transport, taken) = mpsc::channel(1);
    let mut backlog = Backlog::new(transport);
    backlog.put(text(1));
    backlog.put(text(1));
    drop(taken);
    assert_eq!((go_on(&mut backlog), backlog.waiting()), (None, 0));
    backlog.put(text(BYTES + 1));
    assert_eq!((go_on(&mut backlog), backlog.waiting()), (None, 0));
}

proptest! {
    /// However putting, taking and draining are mixed: nothing is lost, doubled or moved.
    #[test]
    fn everything_arrives_once_and_in_order(steps in proptest::collection::vec(0..3u8, 0..200)) {
        let (transport, mut taken) = mpsc::channel(3);
        let mut backlog = Backlog::new(transport);
        let (mut put, mut came) = (0_usize, Vec::new());
        for step in steps {
            match step {
                0 => {
                    backlog.put(Outgoing::Text(put.to_string()));
                    put += 1;
                }
                1 => came.extend(taken.try_recv().ok()),
                _ => prop_assert_eq!(go_on(&mut backlog), None),
            }
        }
        while came.len() < put {
            prop_assert_eq!(go_on(&mut backlog), None);
            came.extend(taken.try_recv().ok());
        }
        let expected: Vec<_> = (0..put).map(|n| Outgoing::Text(n.to_string())).collect();
        prop_assert_eq!((came, backlog.waiting(), backlog.bytes), (expected, 0, 0));
    }
}
