//! The child's side: what runs when our own program is started as `agentcall __camera`.
//!
//! It owns the camera and nothing else: no network, no terminal, no environment. It answers one request after the
//! other on its standard input and output, and ends when its input ends. What has a lens is in `real`.

use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::CameraTrouble;
use super::info::CameraInfo;
use super::real;
use super::wire::{self, MESSAGE_CHARS, Prefix, RawFacts, Reply, Request, Size, Source, VERSION};
use crate::files;
use crate::picture::{self, Picture, raw::Care};

/// The hidden first argument that starts the child.
pub const ARGUMENT: &str = "__camera";
/// Memory the child may address beyond what it does at its start. A bomb that gets past every bound ends here.
#[cfg(unix)]
const ADDRESS_SPACE_BYTES: u64 = 1024 * 1024 * 1024;
/// The pace of the test card: 15 pictures a second.
const PACE: Duration = Duration::from_millis(66);
/// How much of a path a message shows.
const PATH_CHARS: usize = 100;
const CARD_SIZE: (u32, u32) = (1_280, 720);

/// What a source has become.
enum Opened {
    Card { start: Instant, last: Option<Instant> },
    Still { picture: Picture, last: Option<Instant> },
    Lens(Box<dyn real::Lens>),
}

/// Why something could not be done.
enum Failure {
    /// In words.
    Told(String),
    /// By the camera's fault.
    Trouble(CameraTrouble),
}

impl From<CameraTrouble> for Failure {
    fn from(trouble: CameraTrouble) -> Self {
        Self::Trouble(trouble)
    }
}

/// Runs the child until its input ends or it is told to close. Returns the exit code: 0, or 1 when the pipe broke or
/// carried something else.
pub fn child_main(mut input: impl Read, mut output: impl Write) -> u8 {
    limit_memory();
    match serve(&mut input, &mut output) {
        Ok(()) => 0,
        Err(_) => 1,
    }
}

#[cfg(unix)]
fn limit_memory() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let now = getrlimit(Resource::As);
    let wanted = reserved_bytes() + ADDRESS_SPACE_BYTES;
    let most = now.maximum.map_or(wanted, |m| m.min(wanted));
    // Where the limit cannot be set, the decoder's own limits still hold.
    let _ = setrlimit(Resource::As, Rlimit { current: Some(most), maximum: Some(most) });
}

/// What is addressed already: our allocator reserves a gigabyte before it uses any of it, which would leave nothing for
/// the buffers that a camera's driver lends us. 0 where the system does not say.
#[cfg(unix)]
fn reserved_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let kilobytes = size.and_then(|size| size.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

#[cfg(not(unix))]
fn limit_memory() {}

pub(super) fn serve(input: &mut impl Read, output: &mut impl Write) -> std::io::Result<()> {
    send(output, &Reply::Hello { version: VERSION }, &[])?;
    let mut opened = None;
    while let Some(request) = receive(input)? {
        match request {
            Request::Close => break,
            Request::List => list(output)?,
            Request::Open { source } => match open(source) {
                Ok((state, reply)) => {
                    opened = Some(state);
                    send(output, &reply, &[])?;
                }
                Err(failure) => fail(output, failure)?,
            },
            Request::Frame { size } => {
                let taken = match size {
                    Size::Preview => opened.as_mut().map(Opened::next),
                    Size::Full => opened.take().map(Opened::last),
                };
                match taken {
                    Some(Ok((picture, raw))) => send_frame(output, &picture, raw)?,
                    Some(Err(failure)) => fail(output, failure)?,
                    None => fail(output, Failure::Told("the camera is not open".into()))?,
                }
            }
        }
    }
    Ok(())
}

/// The next request; `None` when the input has ended.
fn receive(input: &mut impl Read) -> std::io::Result<Option<Request>> {
    let mut prefix = [0; wire::PREFIX_BYTES];
    match input.read_exact(&mut prefix) {
        Ok(()) => {}
        Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(e) => return Err(e),
    }
    let prefix = Prefix::parse(&prefix).map_err(std::io::Error::other)?;
    let mut header = vec![0; prefix.header];
    input.read_exact(&mut header)?;
    // Requests carry no payload.
    if prefix.payload > 0 {
        return Err(std::io::Error::other(wire::WireError::Header));
    }
    wire::decode(&header).map(Some).map_err(std::io::Error::other)
}

fn send(output: &mut impl Write, reply: &Reply, payload: &[u8]) -> std::io::Result<()> {
    output.write_all(&wire::encode(reply, payload.len()).map_err(std::io::Error::other)?)?;
    output.write_all(payload)?;
    output.flush()
}

fn fail(output: &mut impl Write, failure: Failure) -> std::io::Result<()> {
    let (message, trouble) = match failure {
        Failure::Told(message) => (message, None),
        Failure::Trouble(trouble) => (trouble.to_string(), Some(trouble.tidied())),
    };
    let message = message.chars().filter(|c| !c.is_control()).take(MESSAGE_CHARS).collect();
    send(output, &Reply::Failed { message, trouble }, &[])
}

/// Each camera is told as soon as it is known.
fn list(output: &mut impl Write) -> std::io::Result<()> {
    let mut told = Ok(());
    let trouble = real::list(&mut |camera: CameraInfo| {
        if told.is_ok() {
            told = send(output, &Reply::Camera { camera: camera.tidied() }, &[]);
        }
    });
    told?;
    send(output, &Reply::Listed { trouble: trouble.map(CameraTrouble::tidied) }, &[])
}

fn send_frame(output: &mut impl Write, picture: &Picture, raw: Option<RawFacts>) -> std::io::Result<()> {
    let (width, height) = (picture.width(), picture.height());
    let reply = Reply::Frame { format: "rgb8".into(), width, height, stride: width * 3, raw };
    send(output, &reply, picture.expose_rgb())
}

fn open(source: Source) -> Result<(Opened, Reply), Failure> {
    match source {
        Source::TestCard => {
            let (width, height) = CARD_SIZE;
            let name = "test card".into();
            let reply = Reply::Opened { name, width, height, fourcc: None, fps: None };
            Ok((Opened::Card { start: Instant::now(), last: None }, reply))
        }
        Source::File { path } => {
            let picture = read_picture(&path).map_err(Failure::Told)?;
            let (width, height) = (picture.width(), picture.height());
            let name = path.rsplit(['/', '\\']).next().unwrap_or(&path).chars().take(128).collect();
            let reply = Reply::Opened { name, width, height, fourcc: None, fps: None };
            Ok((Opened::Still { picture, last: None }, reply))
        }
        Source::Device { node, card, bus, format, wish } => {
            let lens = real::open(&real::Wanted { node, card: card.clone(), bus, format, wish })?;
            let set = lens.set();
            let (width, height, fps) = (set.width, set.height, set.fps);
            let reply = Reply::Opened { name: card, width, height, fourcc: Some(set.fourcc.clone()), fps };
            Ok((Opened::Lens(lens), reply))
        }
    }
}

/// Reads and decodes a file; only a regular one, so that a pipe or device cannot hold us.
fn read_picture(path: &str) -> Result<Picture, String> {
    // The reason first: a long path must not push it out of the line.
    let shown = files::end_of(path, PATH_CHARS);
    let failed = |e: std::io::Error| format!("{e}: {shown}");
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(format!("it is not a regular file: {shown}"));
    }
    let bytes = files::read_at_most(Path::new(path), picture::MAX_FILE_BYTES).map_err(failed)?;
    let picture = picture::decode(&bytes).map_err(|e| format!("{e}: {shown}"))?;
    Ok(picture.shrunk_to(wire::FULL_SIDE))
}

impl Opened {
    /// The next frame for aiming, at the pace of a camera.
    fn next(&mut self) -> Result<(Picture, Option<RawFacts>), Failure> {
        let side = wire::PREVIEW_SIDE;
        match self {
            Self::Still { picture, last } => {
                pace(last);
                Ok((picture.shrunk_to(side), None))
            }
            Self::Card { start, last } => {
                pace(last);
                let (width, height) = (side, CARD_SIZE.1 * side / CARD_SIZE.0);
                Ok((picture::test_card(width, height, start.elapsed(), &clock()), None))
            }
            Self::Lens(lens) => {
                let (picture, raw) = real::next(lens.as_mut(), Care::Quick { side })?;
                Ok((shrunk(picture, side), Some(raw)))
            }
        }
    }

    /// The last frame, in full size.
    fn last(self) -> Result<(Picture, Option<RawFacts>), Failure> {
        match self {
            Self::Still { picture, .. } => Ok((picture, None)),
            Self::Card { start, .. } => {
                Ok((picture::test_card(CARD_SIZE.0, CARD_SIZE.1, start.elapsed(), &clock()), None))
            }
            Self::Lens(lens) => {
                let (picture, raw) = real::last(lens)?;
                Ok((shrunk(picture, wire::FULL_SIDE), Some(raw)))
            }
        }
    }
}

fn shrunk(picture: Picture, side: u32) -> Picture {
    let fits = picture.width().max(picture.height()) <= side;
    if fits { picture } else { picture.shrunk_to(side) }
}

fn pace(last: &mut Option<Instant>) {
    if let Some(before) = *last {
        std::thread::sleep(PACE.saturating_sub(before.elapsed()));
    }
    *last = Some(Instant::now());
}

/// The time of day in UTC: `14:03:27Z`.
fn clock() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    format!("{:02}:{:02}:{:02}Z", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
}
