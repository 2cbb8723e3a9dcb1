//! What an agent says instead of opening a link.

use std::time::Duration;

use hyper::header;
use url::Url;

use crate::net::{NetError, RedirectFault, TokenFate, http, shown};

/// The error that an answer of another status is: where it redirects to, or the beginning of what it says.
pub(super) async fn refusal(
    answer: hyper::Response<hyper::body::Incoming>,
    url: &Url,
    token: TokenFate,
) -> NetError {
    let status = answer.status();
    if status.is_redirection() {
        let to = answer.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
        let location = to.and_then(|to| url.join(to).ok()).map_or("nowhere".to_owned(), |to| shown(&to));
        return NetError::Redirect { url: shown(url), location, fault: RedirectFault::NotFollowed };
    }
    let body = http::read_excerpt(answer.into_body(), Duration::from_millis(500)).await;
    NetError::Status { url: shown(url), status: status.as_u16(), body, token }
}
