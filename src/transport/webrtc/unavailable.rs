//! A build without the feature `webrtc`.

use url::Url;

use super::Options;
use crate::net::{Credentials, NetContext, shown};
use crate::transport::{DialError, Link};

/// Opens nothing.
///
/// # Errors
/// [`DialError::Unavailable`], always.
pub async fn open(
    url: &Url,
    _: &NetContext,
    _: &Credentials,
    _: &Options,
    _: &str,
) -> Result<Link, DialError> {
    Err(DialError::Unavailable { url: shown(url) })
}
