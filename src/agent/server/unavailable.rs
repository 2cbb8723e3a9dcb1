//! Without the feature `webrtc` no offer is answered, and none is advertised.

use hyper::body::Incoming;
use hyper::{Request, StatusCode};

use super::{Answer, Upgraded, plain};
use crate::agent::server::Shared;

/// Says so.
pub(super) async fn answer(_request: Request<Incoming>, _shared: &Shared, _upgraded: &Upgraded) -> Answer {
    plain(StatusCode::NOT_IMPLEMENTED, "This agent was built without WebRTC.\n")
}
