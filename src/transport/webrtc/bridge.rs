//! Between a call and the link that the session driver holds: the same messages under other names. What waits on one side
//! waits on the other.

use tokio::sync::mpsc::{Receiver, Sender};

use crate::call::{CallEnd, FromPeer, ToPeer};
use crate::transport::{Closure, Incoming, Outgoing};

/// Runs until the call is over and that is told, or nobody listens any more.
pub(super) async fn run(
    (to_call, mut from_call): (Sender<ToPeer>, Receiver<FromPeer>),
    mut to_send: Receiver<Outgoing>,
    came: Sender<Incoming>,
) {
    let sending = async move {
        while let Some(Outgoing::Text(text)) = to_send.recv().await {
            if to_call.send(ToPeer::Text(text)).await.is_err() {
                break;
            }
        }
        // Dropping this end closes the call in order.
        drop(to_call);
        std::future::pending::<()>().await;
    };
    let receiving = async {
        while let Some(told) = from_call.recv().await {
            if came.send(incoming(told)).await.is_err() {
                break;
            }
        }
    };
    tokio::select! {
        () = receiving => {}
        () = sending => {}
        () = came.closed() => {}
    }
}

fn incoming(told: FromPeer) -> Incoming {
    match told {
        FromPeer::Text(text) => Incoming::Text(text),
        FromPeer::Binary { bytes } => Incoming::Binary { bytes },
        FromPeer::Oversized { bytes } => Incoming::Oversized { bytes },
        FromPeer::Unsendable { bytes, bound } => Incoming::Unsendable { bytes, bound },
        FromPeer::Stalled { after } => Incoming::Stalled { after },
        FromPeer::Flowing => Incoming::Flowing,
        FromPeer::Closed(end) => Incoming::Closed(closure(end)),
    }
}

fn closure(end: CallEnd) -> Closure {
    match end {
        CallEnd::ByPeer => Closure::HungUp,
        CallEnd::Lost { after } => Closure::TimedOut { after },
        CallEnd::Stalled { after, backlog } => Closure::Lost(format!(
            "it has acknowledged nothing for {} s, and {} bytes wait to be sent",
            after.as_secs_f32(),
            crate::units::Bytes(backlog)
        )),
        CallEnd::ProtocolError(why) => Closure::ProtocolError(why),
        CallEnd::Broken(why) => Closure::Lost(why),
        CallEnd::ByUs => Closure::ByUs,
    }
}
