//! The child that holds one open device: it opens it with `cpal`, and passes sound between the device and its own input and
//! output. It ends with the first error, and when its input does.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{BufferSize, Device, ErrorKind, Host, StreamConfig, SupportedBufferSize, SupportedStreamConfig};
use rtrb::{Consumer, Producer, RingBuffer};

use super::callback::{Counts, Ear, Mouth, is_known};
use super::frame::{Frame, Opened, Played};
use super::stream::RATE;
use super::system;
use super::wire::{Told, bounded};
use super::{AudioDevice, AudioTrouble, DEFAULT, Direction, Sound, in_order};

/// How often sound is passed on.
const TURN: Duration = Duration::from_millis(4);
/// A device that asks for nothing, or gives nothing, for so long does not work any more (D4).
const STALLED: Duration = Duration::from_secs(2);
/// How often it is looked whether the device is still the one that was asked for.
const LOOKS: Duration = Duration::from_millis(500);
/// How long opening may take within a library.
const WITHIN: Duration = Duration::from_secs(3);
/// What is asked for at a time.
const PIECE: u32 = RATE / 100;

/// Holds the device until something ends it, which it tells.
pub(super) fn hold(
    direction: Direction,
    name: &str,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> u8 {
    let mut output = Output { output, bytes: Vec::new() };
    match held(direction, name, input, &mut output) {
        Ok(()) | Err(Ended::Unheard) => 0,
        Err(Ended::Trouble(trouble)) => u8::from(output.tell(&Frame::Failed(trouble)).is_err()),
    }
}

/// Why it ended.
enum Ended {
    /// Nobody reads what we write.
    Unheard,
    Trouble(AudioTrouble),
}

impl From<cpal::Error> for Ended {
    fn from(error: cpal::Error) -> Self {
        Self::Trouble(trouble(&error))
    }
}

fn trouble(error: &cpal::Error) -> AudioTrouble {
    let what = bounded(&error.to_string());
    match error.kind() {
        ErrorKind::DeviceBusy => AudioTrouble::Busy,
        ErrorKind::PermissionDenied => AudioTrouble::NotAllowed,
        ErrorKind::DeviceNotAvailable => AudioTrouble::Gone,
        ErrorKind::HostUnavailable => AudioTrouble::Server { what },
        ErrorKind::StreamInvalidated => AudioTrouble::Ended { what },
        _ => AudioTrouble::Unusable { what },
    }
}

struct Output<W> {
    output: W,
    bytes: Vec<u8>,
}

impl<W: Write> Output<W> {
    fn tell(&mut self, frame: &Frame) -> Result<(), Ended> {
        self.bytes.clear();
        frame.write(&mut self.bytes);
        self.output.write_all(&self.bytes).and_then(|()| self.output.flush()).map_err(|_| Ended::Unheard)
    }
}

fn held(
    direction: Direction,
    name: &str,
    input: impl Read + Send + 'static,
    output: &mut Output<impl Write>,
) -> Result<(), Ended> {
    let (host, server) = system::host();
    // With a server that is there and does not answer, ALSA's own ways to it would hang, or say something else.
    let leads_to_server = matches!(name, DEFAULT | "pulse" | "pipewire");
    if let Some(server) = server.clone().filter(|_| leads_to_server) {
        return Err(server.into());
    }
    let device = device(&host, direction, name).map_err(|trouble| server.unwrap_or(trouble))?;
    let own = match direction {
        Direction::Microphone => device.default_input_config(),
        Direction::Speaker => device.default_output_config(),
    }?;
    let config = config(&device, direction, &own)?;
    let format = own.sample_format();
    let counts = Arc::new(Counts::default());
    // Two seconds: longer than any pause of a busy machine that is worth to be survived.
    let (to, from) = RingBuffer::new(2 * config.sample_rate as usize * usize::from(config.channels));
    let (failed, failure) = channel();
    if let Ok(id) = device.id() {
        watch_over(direction, name == DEFAULT, id.id().to_owned(), failed.clone());
    }
    // Only the first error counts: some systems give one every other microsecond (D4).
    let mut first = Some(failed);
    let on_error = move |error: cpal::Error| {
        let is_passing =
            matches!(error.kind(), ErrorKind::Xrun | ErrorKind::RealtimeDenied | ErrorKind::DeviceChanged);
        if !is_passing && let Some(failed) = first.take() {
            let _ = failed.send(trouble(&error));
        }
    };
    let counted = Arc::clone(&counts);
    let told = device.description().map_or_else(|_| name.to_owned(), |told| bounded(told.name()));
    let form = Sound { channels: config.channels, rate: config.sample_rate, format: format.to_string() };
    let opened = Frame::Opened(Opened { name: told, sound: form });
    let held = Held { channels: config.channels.into(), counts, failure, opened };
    match direction {
        Direction::Microphone => {
            super::child::end_with(input);
            let mut ear = Ear::new(to, counted);
            let hear = move |data: &cpal::Data, _: &cpal::InputCallbackInfo| ear.hear_any(data);
            let stream = device.build_input_stream_raw(config, format, hear, on_error, Some(WITHIN))?;
            stream.play()?;
            let ended = held.hear(from, output);
            leave(stream, ended)
        }
        Direction::Speaker => {
            let mut mouth = Mouth::new(from, counted);
            let speak = move |data: &mut cpal::Data, info: &cpal::OutputCallbackInfo| {
                let times = info.timestamp();
                mouth.speak_any(data, times.playback.saturating_duration_since(times.callback));
            };
            let stream = device.build_output_stream_raw(config, format, speak, on_error, Some(WITHIN))?;
            stream.play()?;
            let ended = held.speak(to, input, output);
            leave(stream, ended)
        }
    }
}

/// The stream is not taken down: that may wait for a server that answers nobody. The end of the process does it.
fn leave<S>(stream: S, ended: Result<(), Ended>) -> Result<(), Ended> {
    std::mem::forget(stream);
    ended
}

/// Looks whether the device is still the one that was asked for. A sound server moves a stream to another one when its device
/// is unplugged, and says nothing: then the wrong microphone would be heard. It has a thread, and a way to the server, of its
/// own: a server that is frozen holds nothing else up.
fn watch_over(direction: Direction, is_default: bool, id: String, failed: Sender<AudioTrouble>) {
    let watch = move || {
        let (host, trouble) = system::host();
        let is_alsa = host.id().to_string().eq_ignore_ascii_case("alsa");
        // ALSA tells by itself, and asking it opens devices.
        while !is_alsa && trouble.is_none() {
            std::thread::sleep(LOOKS);
            let there = if is_default {
                let preferred = match direction {
                    Direction::Microphone => host.default_input_device(),
                    Direction::Speaker => host.default_output_device(),
                };
                preferred.map(|device| device.id().is_ok_and(|own| own.id() == id))
            } else {
                let is_it = |device: Device| device.id().is_ok_and(|own| own.id() == id);
                host.devices().ok().map(|mut devices| devices.any(is_it))
            };
            if there == Some(false) {
                let _ = failed.send(if is_default { AudioTrouble::Changed } else { AudioTrouble::Gone });
                return;
            }
        }
    };
    // Without it a device that is unplugged is noticed when it falls silent.
    drop(std::thread::Builder::new().name("watch".into()).spawn(watch));
}

/// The device that a name means: by `default`, by what the system calls it, or by the name that the listing gives.
fn device(host: &Host, direction: Direction, name: &str) -> Result<Device, AudioTrouble> {
    if name == DEFAULT {
        let device = match direction {
            Direction::Microphone => host.default_input_device(),
            Direction::Speaker => host.default_output_device(),
        };
        return device.ok_or(AudioTrouble::Nothing);
    }
    let all = || -> Result<Vec<Device>, AudioTrouble> {
        let devices =
            host.devices().map_err(|error| AudioTrouble::Server { what: bounded(&error.to_string()) })?;
        let fits = |device: &Device| match direction {
            Direction::Microphone => device.supports_input(),
            Direction::Speaker => device.supports_output(),
        };
        Ok(devices.filter(fits).collect())
    };
    let of_id = |devices: Vec<Device>, id: &str| {
        devices.into_iter().find(|device| device.id().is_ok_and(|own| own.id() == id))
    };
    if let Some(device) = of_id(all()?, name) {
        return Ok(device);
    }
    let mut listed: Vec<AudioDevice> = Vec::new();
    let _ = system::found(&mut |told| {
        if let Told::Device(device) = told {
            listed.push(device);
        }
        Ok(())
    });
    in_order(&mut listed);
    let id = chosen(&listed, direction, name)?;
    of_id(all()?, &id).ok_or(AudioTrouble::Gone)
}

/// The id of the listed device that a name means.
pub(super) fn chosen(
    listed: &[AudioDevice],
    direction: Direction,
    name: &str,
) -> Result<String, AudioTrouble> {
    let wanted = name.trim().to_lowercase();
    let of: Vec<&AudioDevice> = listed.iter().filter(|device| device.direction == direction).collect();
    if let Some(exact) = of.iter().find(|device| device.name.to_lowercase() == wanted) {
        return Ok(exact.id.clone());
    }
    let fitting: Vec<&&AudioDevice> = of
        .iter()
        .filter(|device| !wanted.is_empty() && device.name.to_lowercase().contains(&wanted))
        .collect();
    match fitting.as_slice() {
        [] => Err(AudioTrouble::Gone),
        [one] => Ok(one.id.clone()),
        several => {
            let names: Vec<&str> = several.iter().map(|device| device.name.as_str()).collect();
            Err(AudioTrouble::Ambiguous { names: names.join(", ") })
        }
    }
}

/// The device's own form, at 48 kHz where it can.
fn config(
    device: &Device,
    direction: Direction,
    own: &SupportedStreamConfig,
) -> Result<StreamConfig, AudioTrouble> {
    let format = own.sample_format();
    let unusable = |what: String| AudioTrouble::Unusable { what };
    if !is_known(format) {
        return Err(unusable(format!("samples of the form {format}")));
    }
    let at_rate = |range: cpal::SupportedStreamConfigRange| {
        range.sample_format() == format
            && range.channels() == own.channels()
            && (range.min_sample_rate()..=range.max_sample_rate()).contains(&RATE)
    };
    let is_possible = own.sample_rate() == RATE
        || match direction {
            Direction::Microphone => device.supported_input_configs().is_ok_and(|mut all| all.any(at_rate)),
            Direction::Speaker => device.supported_output_configs().is_ok_and(|mut all| all.any(at_rate)),
        };
    if !is_possible {
        return Err(unusable(format!("it works at {} samples a second only", own.sample_rate())));
    }
    let buffer_size = match own.buffer_size() {
        SupportedBufferSize::Range { min, max } => BufferSize::Fixed(PIECE.clamp(*min, (*max).max(*min))),
        SupportedBufferSize::Unknown => BufferSize::Default,
    };
    Ok(StreamConfig { channels: own.channels(), sample_rate: RATE, buffer_size })
}

impl From<AudioTrouble> for Ended {
    fn from(trouble: AudioTrouble) -> Self {
        Self::Trouble(trouble)
    }
}

/// The open device, seen from beside its callback.
struct Held {
    channels: usize,
    counts: Arc<Counts>,
    failure: Receiver<AudioTrouble>,
    opened: Frame,
}

/// Whether the callback is still called.
struct Watch {
    calls: u64,
    since: Instant,
    is_open: bool,
}

impl Held {
    fn watch() -> Watch {
        Watch { calls: 0, since: Instant::now(), is_open: false }
    }

    /// Waits a turn. Tells that the device is open once its callback was called.
    fn turn(&self, watch: &mut Watch, output: &mut Output<impl Write>) -> Result<(), Ended> {
        match self.failure.recv_timeout(TURN) {
            Ok(trouble) => return Err(trouble.into()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(TURN),
        }
        let calls = self.counts.calls.load(Ordering::Acquire);
        if calls != watch.calls {
            watch.calls = calls;
            watch.since = Instant::now();
            if !std::mem::replace(&mut watch.is_open, true) {
                output.tell(&self.opened)?;
            }
        }
        if watch.since.elapsed() >= STALLED {
            return Err(AudioTrouble::Stalled { within: STALLED }.into());
        }
        Ok(())
    }

    fn hear(&self, mut ring: Consumer<f32>, output: &mut Output<impl Write>) -> Result<(), Ended> {
        let mut watch = Self::watch();
        loop {
            self.turn(&mut watch, output)?;
            let lost = self.counts.lost.swap(0, Ordering::Relaxed);
            if lost > 0 {
                output.tell(&Frame::Lost(lost / self.channels as u64))?;
            }
            // At most a tenth of a second at a time, so that a message stays short.
            let most = self.channels * RATE as usize / 10;
            let there = ring.slots().min(most) / self.channels * self.channels;
            let Ok(chunk) = ring.read_chunk(there) else { continue };
            if there > 0 {
                let samples: Vec<f32> = chunk.into_iter().collect();
                output.tell(&Frame::Heard(samples.chunks_exact(self.channels).map(mixed).collect()))?;
            }
        }
    }

    fn speak(
        &self,
        ring: Producer<f32>,
        input: impl Read + Send + 'static,
        output: &mut Output<impl Write>,
    ) -> Result<(), Ended> {
        let taken = Arc::new(AtomicU64::new(0));
        let (counted, channels) = (Arc::clone(&taken), self.channels);
        let fill = move || {
            pour(input, ring, channels, &counted);
            // Nobody is left who would play anything.
            std::process::exit(0);
        };
        std::thread::Builder::new()
            .name("input".into())
            .spawn(fill)
            .map_err(|error| AudioTrouble::Unusable { what: error.to_string() })?;
        let (mut watch, mut told) = (Self::watch(), None);
        loop {
            self.turn(&mut watch, output)?;
            let passed = self.counts.passed.load(Ordering::Acquire) / self.channels as u64;
            let taken = taken.load(Ordering::Acquire).max(passed);
            let delay = Duration::from_nanos(self.counts.delay.load(Ordering::Relaxed));
            let played = Played { taken, waiting: taken - passed, delay: super::stream::samples(delay) };
            if watch.is_open && told != Some((played, watch.calls)) {
                told = Some((played, watch.calls));
                output.tell(&Frame::Played(played))?;
            }
        }
    }
}

/// Reads samples and fills the ring with them until the input ends, and tells how many it has taken.
fn pour(mut input: impl Read, mut ring: Producer<f32>, channels: usize, taken: &AtomicU64) {
    let (mut bytes, mut rest) = ([0; 4 * 480], 0);
    while let Ok(read @ 1..) = input.read(&mut bytes[rest..]) {
        let whole = (rest + read) / 4 * 4;
        for four in bytes[..whole].chunks_exact(4) {
            let sample = four.try_into().map_or(0.0, f32::from_le_bytes);
            while ring.slots() < channels {
                std::thread::sleep(TURN);
            }
            if let Ok(chunk) = ring.write_chunk_uninit(channels) {
                chunk.fill_from_iter(std::iter::repeat_n(sample, channels));
            }
            taken.fetch_add(1, Ordering::Release);
        }
        bytes.copy_within(whole..rest + read, 0);
        rest = rest + read - whole;
    }
}

/// One sample of all channels.
#[expect(clippy::cast_precision_loss, reason = "a few channels")]
fn mixed(frame: &[f32]) -> f32 {
    frame.iter().sum::<f32>() / frame.len() as f32
}
