//! From what the user typed to the bytes of a card: a file, a card's URL, or an origin or path under which
//! the well-known names are tried. Called first of discovery; what the bytes say is judged elsewhere.
//!
//! Redirects follow R18, the token R17: it goes along only after a 401 at its own origin.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;
use tokio::time::{Instant, sleep};
use url::Url;

use super::typed::did_you_mean;
use crate::files;
use crate::net::{
    Credentials, NetContext, NetError, NetErrorKind, Origin, RedirectFault, TokenFate, UrlPolicy, WAIT_HINT,
    http, shown,
};
use crate::protocol::bounds::CARD_BYTES;

/// The well-known names of a card, today's first (§ Discovery), then the one before A2A 0.3.
pub const WELL_KNOWN: [&str; 2] = ["/.well-known/agent-card.json", "/.well-known/agent.json"];
/// Most redirects that are followed (R18).
pub const REDIRECTS: usize = 3;
/// How often `--wait` asks whether the agent is up.
pub const RETRY_EVERY: Duration = Duration::from_millis(250);

const ACCEPT: &str = "application/json, application/a2a+json;q=0.9";

/// Where a card is to come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardSource {
    /// A file of this machine.
    File(PathBuf),
    /// A URL: a card's own if its path ends in `.json`, else an origin or path to look under.
    Url(Url),
}

impl CardSource {
    /// Reads what the user typed: a URL when it begins with a scheme and `://`, else the path of a file.
    ///
    /// # Errors
    /// [`NetError::Form`] or [`NetError::Address`] for a URL the policy refuses.
    pub fn parse(text: &str, policy: UrlPolicy) -> Result<Self, NetError> {
        let text = text.trim();
        let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
        let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        if scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_scheme) {
            policy.parse(text).map(Self::Url)
        } else {
            Ok(Self::File(PathBuf::from(text)))
        }
    }

    /// The URLs to try, in order: the URL itself if it ends in `.json`; else the well-known names under its
    /// path and at its origin, today's name before the old one.
    pub fn candidates(&self) -> Vec<Url> {
        let Self::Url(url) = self else { return Vec::new() };
        if url.path().to_ascii_lowercase().ends_with(".json") {
            return vec![url.clone()];
        }
        let under = url.path().trim_end_matches('/');
        let mut candidates: Vec<Url> = Vec::new();
        for name in WELL_KNOWN {
            for path in [format!("{under}{name}"), name.to_owned()] {
                let mut candidate = url.clone();
                candidate.set_path(&path);
                candidate.set_query(None);
                if !candidates.contains(&candidate) {
                    candidates.push(candidate);
                }
            }
        }
        candidates
    }
}

/// One URL that was asked, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The URL, without secrets.
    pub url: String,
    /// The HTTP status it answered.
    pub status: u16,
    /// The media type it answered with, lower case: text from outside.
    pub media_type: Option<String>,
    /// What was made of the answer.
    pub outcome: Outcome,
}

/// What was made of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// These are the card's bytes.
    Card,
    /// A redirect, followed to this URL.
    Redirected(String),
    /// A 401, asked again with the token.
    AskedForToken,
    /// A 2xx that is no JSON object, as from a server that answers every path with its start page.
    NotAnObject,
    /// A status that is no success.
    Refused,
}

/// The bytes of a card and where they came from.
#[derive(Debug)]
pub struct FetchedCard {
    /// The bytes, at most 256 KiB, not parsed.
    pub bytes: Vec<u8>,
    /// The file, or the URL that gave the card after redirects.
    pub location: CardSource,
    /// The origin the user typed, to which a token belongs (R17), whatever the redirects; none for a file.
    pub origin: Option<Origin>,
    /// Every URL that was asked, in order; the last one gave the card.
    pub tried: Vec<Attempt>,
    /// What the user should know: an old name, a redirect, an odd media type. Plain sentences.
    pub notes: Vec<String>,
}

/// Why there are no bytes.
#[derive(Debug, Error)]
pub enum FetchError {
    /// The file cannot be read.
    #[error("the card file {path} cannot be read: {source}")]
    File {
        /// Its path.
        path: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The file is larger than a card may be.
    #[error("the card file {path} was refused: it has more than 256 KiB (§ WebSocket and WebRTC)")]
    FileTooLarge {
        /// Its path.
        path: String,
    },
    /// The network or its policy ended it.
    #[error("{source}{}", tried_words(.tried))]
    Net {
        /// What happened.
        source: NetError,
        /// What was asked before.
        tried: Vec<Attempt>,
        /// Whether it was waited for until the time of `--wait` was up.
        waited: bool,
    },
    /// Every URL answered, none with a card.
    #[error("no card was found{}", tried_words(.tried))]
    NotFound {
        /// What was asked.
        tried: Vec<Attempt>,
        /// What became of the user's token.
        token: TokenFate,
    },
}

impl FetchError {
    /// The kind of failure, for exit codes.
    pub fn kind(&self) -> NetErrorKind {
        match self {
            Self::File { .. } => NetErrorKind::Setup,
            Self::FileTooLarge { .. } => NetErrorKind::Bound,
            Self::Net { source, .. } => source.kind(),
            Self::NotFound { .. } => NetErrorKind::Status,
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::File { path, source } if source.kind() == std::io::ErrorKind::NotFound => {
                did_you_mean(path).map(|url| format!("Did you mean {url}?"))
            }
            Self::Net { source, waited: true, .. } if source.is_refused() => {
                let hint = source.hint()?;
                Some(hint.strip_suffix(WAIT_HINT).map(str::to_owned).unwrap_or(hint))
            }
            Self::Net { source, .. } => source.hint(),
            Self::NotFound { tried, token } if tried.iter().any(|a| a.status == 401) => {
                Some(token.hint().to_owned())
            }
            Self::NotFound { .. } => Some("Give the card's own URL if it stands elsewhere.".to_owned()),
            _ => None,
        }
    }
}

fn tried_words(tried: &[Attempt]) -> String {
    let one = |attempt: &Attempt| {
        let what = match &attempt.outcome {
            Outcome::NotAnObject => ", but no JSON object".to_owned(),
            Outcome::Redirected(to) => format!(", a redirect to {to}"),
            Outcome::AskedForToken => ", asked again with the token".to_owned(),
            Outcome::Card | Outcome::Refused => String::new(),
        };
        format!("{} answered {}{what}", attempt.url, attempt.status)
    };
    let list = tried.iter().map(one).collect::<Vec<_>>().join("; ");
    if list.is_empty() { String::new() } else { format!(" (asked: {list})") }
}

/// Fetches the bytes of a card. With `wait`, a host where nothing listens yet is asked again every 250 ms
/// for that long (`--wait`).
///
/// # Errors
/// [`FetchError`], which lists what was asked.
pub async fn fetch(
    source: &CardSource,
    net: &NetContext,
    credentials: &Credentials,
    wait: Option<Duration>,
) -> Result<FetchedCard, FetchError> {
    let typed = match source {
        CardSource::File(path) => return read_file(path).await,
        CardSource::Url(url) => url,
    };
    let deadline = wait.map(|wait| Instant::now() + wait);
    let origin = Origin::of(typed);
    let credentials = credentials.clone().bound_to(origin.clone());
    loop {
        let mut search =
            Search { net, credentials: &credentials, tried: Vec::new(), token: TokenFate::Absent };
        match search.through(&source.candidates()).await {
            Ok(Some((bytes, url))) => {
                let notes = notes(typed, &url, &search.tried);
                let location = CardSource::Url(url);
                return Ok(FetchedCard { bytes, location, origin, tried: search.tried, notes });
            }
            Ok(None) => return Err(FetchError::NotFound { tried: search.tried, token: search.token }),
            Err(error) if error.is_refused() && deadline.is_some_and(|d| Instant::now() < d) => {
                sleep(RETRY_EVERY).await;
            }
            Err(source) => {
                return Err(FetchError::Net { source, tried: search.tried, waited: deadline.is_some() });
            }
        }
    }
}

async fn read_file(path: &Path) -> Result<FetchedCard, FetchError> {
    let name = files::shown(path);
    let failed = |source| FetchError::File { path: name.clone(), source };
    let bytes = files::read_aside(path, CARD_BYTES).await.map_err(failed)?;
    if bytes.len() > CARD_BYTES {
        return Err(FetchError::FileTooLarge { path: name });
    }
    let location = CardSource::File(path.to_owned());
    Ok(FetchedCard { bytes, location, origin: None, tried: Vec::new(), notes: Vec::new() })
}

fn notes(typed: &Url, found: &Url, tried: &[Attempt]) -> Vec<String> {
    let mut notes = Vec::new();
    if Origin::of(typed) != Origin::of(found) {
        notes.push(format!("the card came by redirect from another origin, {}", shown(found)));
    }
    if found.path().ends_with(WELL_KNOWN[1]) && !typed.path().ends_with(".json") {
        notes.push(format!("the card stands only under the old name {} (§ Discovery)", WELL_KNOWN[1]));
    }
    // A media type that is not JSON is a finding of the validation.
    if tried.last().is_some_and(|last| last.media_type.is_none()) {
        notes.push("the card is served without a media type".to_owned());
    }
    notes
}

/// One pass over the candidates.
struct Search<'a> {
    net: &'a NetContext,
    credentials: &'a Credentials,
    tried: Vec<Attempt>,
    /// What became of the token at the last 401.
    token: TokenFate,
}

impl Search<'_> {
    /// The first candidate that answers with a card. One that answers otherwise leads to the next; a
    /// failure of the network or a refusal of the policy ends the search, since they share an origin.
    async fn through(&mut self, candidates: &[Url]) -> Result<Option<(Vec<u8>, Url)>, NetError> {
        for candidate in candidates {
            let (answer, url) = self.follow(candidate.clone()).await?;
            let success = (200..300).contains(&answer.status);
            // A lone URL is the user's own word: its body is a card, or discovery says why not.
            let card = success && (candidates.len() == 1 || begins_an_object(&answer.body));
            let outcome = match (card, success) {
                (true, _) => Outcome::Card,
                (false, true) => Outcome::NotAnObject,
                (false, false) => Outcome::Refused,
            };
            self.note(&url, &answer, outcome);
            if card {
                return Ok(Some((answer.body, url)));
            }
            if candidates.len() == 1 {
                return Err(answer.into_status_error(&url));
            }
        }
        Ok(None)
    }

    /// Asks a URL and follows its redirects under R18: at most three, each checked and resolved anew.
    async fn follow(&mut self, mut url: Url) -> Result<(http::Answer, Url), NetError> {
        let mut seen = HashSet::from([url.clone()]);
        let mut from = None;
        loop {
            let answer = self.ask(&url).await.map_err(|error| match (error, &from) {
                (error @ NetError::Address { .. }, Some(from)) => {
                    let fault = RedirectFault::Address(error.to_string());
                    NetError::Redirect { url: shown(from), location: shown(&url), fault }
                }
                (error, _) => error,
            })?;
            if !matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
                return Ok((answer, url));
            }
            let next = self.next_hop(&url, &answer, &mut seen)?;
            self.note(&url, &answer, Outcome::Redirected(shown(&next)));
            from = Some(std::mem::replace(&mut url, next));
        }
    }

    fn next_hop(&self, url: &Url, answer: &http::Answer, seen: &mut HashSet<Url>) -> Result<Url, NetError> {
        let text = answer.header(hyper::header::LOCATION);
        let next = text.and_then(|text| url.join(text).ok());
        let refuse = |fault| NetError::Redirect {
            url: shown(url),
            location: next.as_ref().map_or("nowhere".to_owned(), shown),
            fault,
        };
        let Some(location) = &next else { return Err(refuse(RedirectFault::NoLocation)) };
        if url.scheme() == "https" && location.scheme() == "http" {
            return Err(refuse(RedirectFault::Downgrade));
        }
        let location = self.net.policy.check(location).map_err(|error| match error {
            // The agent chose this URL, not the user: it is no mistake of the command line.
            NetError::Form { fault, .. } => refuse(RedirectFault::Url(fault)),
            other => other,
        })?;
        if seen.contains(&location) {
            return Err(refuse(RedirectFault::Loop));
        }
        if seen.len() > REDIRECTS {
            return Err(refuse(RedirectFault::TooMany(REDIRECTS)));
        }
        seen.insert(location.clone());
        Ok(location)
    }

    /// Asks without the token, and once more with it after a 401 at the token's own origin (R17).
    async fn ask(&mut self, url: &Url) -> Result<http::Answer, NetError> {
        let mut answer = http::get(self.net, url, ACCEPT, None, CARD_BYTES).await?;
        if answer.status != 401 || self.credentials.token.is_none() {
            return Ok(answer);
        }
        if self.credentials.origin == Origin::of(url) {
            self.note(url, &answer, Outcome::AskedForToken);
            answer = http::get(self.net, url, ACCEPT, Some(self.credentials), CARD_BYTES).await?;
        } else {
            answer.token = TokenFate::OtherOrigin;
        }
        self.token = answer.token;
        Ok(answer)
    }

    fn note(&mut self, url: &Url, answer: &http::Answer, outcome: Outcome) {
        let media_type = answer.media_type();
        self.tried.push(Attempt { url: shown(url), status: answer.status, media_type, outcome });
    }
}

/// Whether the first character after white space and a byte order mark opens an object.
fn begins_an_object(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    body.trim_ascii_start().first() == Some(&b'{')
}
