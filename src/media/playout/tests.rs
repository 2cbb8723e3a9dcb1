//! A stream through a network in virtual time: what is heard of it, and when.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::media::level::decibels;
use crate::media::opus::{Encoder, OpusSettings};
use crate::media::signal;

const STEP: usize = samples_of(10);

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn rms_db(samples: &[f32]) -> f32 {
    let squares: f32 = samples.iter().map(|sample| sample * sample).sum();
    decibels((squares / samples.len().max(1) as f32).sqrt())
}

/// Packets of a sound, spoken from the beginning on.
fn spoken(sound: &[f32]) -> Vec<SoundPacket> {
    let mut encoder = Encoder::new(OpusSettings { loss_percent: 20, ..OpusSettings::default() }).unwrap();
    let frames = sound.chunks_exact(FRAME).enumerate();
    frames
        .map(|(at, frame)| SoundPacket {
            sequence: (at as u16).wrapping_add(65_500),
            timestamp: ((at * FRAME) as u32).wrapping_add(u32::MAX - 48_000),
            marker: at == 0,
            payload: encoder.encode(frame).unwrap().into_bytes(),
        })
        .collect()
}

/// What becomes of a packet: how late it comes, or nothing.
type Network<'a> = &'a mut dyn FnMut(usize) -> Option<Duration>;

struct Run {
    playout: Playout,
    heard: Vec<f32>,
}

/// Plays packets that are sent every 20 ms over a network, to a speaker whose clock runs `ppm` faster.
fn run(packets: &[SoundPacket], network: Network<'_>, ppm: f64) -> Run {
    let mut arrivals: Vec<(Duration, &SoundPacket)> = packets
        .iter()
        .enumerate()
        // A packet is there when its last sample is spoken.
        .filter_map(|(at, packet)| Some((ms(20) * (at as u32 + 1) + network(at)?, packet)))
        .collect();
    arrivals.sort_by_key(|(at, _)| *at);
    let mut arrivals = arrivals.into_iter().peekable();
    let (mut playout, mut heard) = (Playout::new(), Vec::new());
    let step = Duration::from_secs_f64(0.01 / (1.0 + ppm / 1e6));
    let end = ms(20) * (packets.len() as u32 + 25);
    let mut now = Duration::ZERO;
    while now < end {
        while let Some((_, packet)) = arrivals.next_if(|(at, _)| *at <= now) {
            playout.insert(now, packet.clone());
        }
        let mut out = [0.0; STEP];
        let _newest = playout.render(now, &mut out);
        heard.extend_from_slice(&out);
        now += step;
    }
    Run { playout, heard }
}

/// A small generator with a seed, so that every run is the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// How much later than it was spoken a chirp is heard, in milliseconds.
fn chirp_delay(heard: &[f32], spoken_at: usize) -> f64 {
    let found = signal::find_chirp(heard).expect("the chirp is heard");
    (found.at as f64 - spoken_at as f64) / 48.0
}

/// A second of silence, a chirp, and silence again, all of it sent.
fn with_chirp() -> (Vec<SoundPacket>, usize) {
    let before = signal::tone(300.0, 0.01, samples_of(1_000));
    let sound = [before.clone(), signal::chirp(0.5), before].concat();
    (spoken(&sound), samples_of(1_000))
}

#[test]
fn a_clean_stream_is_heard_whole_and_soon() {
    let (packets, at) = with_chirp();
    let Run { playout, heard } = run(&packets, &mut |_| Some(Duration::ZERO), 0.0);
    let delay = chirp_delay(&heard, at);
    // 20 ms are spoken before the first can be sent, 6.5 ms are the codec's, 10 ms the step of the speaker.
    assert!(delay < 75.0, "{delay} ms");
    let stats = playout.stats();
    assert_eq!((stats.lost, stats.late, stats.underruns, stats.damaged), (0, 0, 0, 0), "{stats:?}");
}

#[test]
fn what_is_lost_is_recovered_or_made_up() {
    let packets = spoken(&signal::tone(440.0, 0.5, samples_of(6_000)));
    let mut dice = Dice(7);
    let Run { playout, heard } = run(&packets, &mut |_| (dice.roll(100) >= 5).then_some(Duration::ZERO), 0.0);
    let stats = playout.stats();
    assert!(stats.lost >= 8 && stats.recovered > stats.lost / 2, "{stats:?}");
    assert_eq!((stats.underruns, stats.late), (0, 0), "{stats:?}");
    let talk = &heard[samples_of(500)..samples_of(5_500)];
    let holes: Vec<(usize, f32)> =
        talk.chunks(STEP).map(rms_db).enumerate().filter(|(_, level)| *level < -25.0).collect();
    // Where two in a row are lost, what is made up for the second fades.
    assert!(holes.len() <= 2, "{holes:?} {stats:?}");
}

#[test]
fn loss_and_jitter_are_met_with_a_delay_that_is_bounded() {
    let (packets, at) = with_chirp();
    for seed in 1..6 {
        let mut dice = Dice(seed);
        let mut network = |at: usize| {
            let jitter = ms(dice.roll(31));
            // The chirp itself is not lost: it is what is measured.
            (dice.roll(100) >= 5 || (48..58).contains(&at)).then_some(jitter)
        };
        let Run { playout, heard } = run(&packets, &mut network, 0.0);
        let delay = chirp_delay(&heard, at) - 26.5;
        assert!(delay < 100.0, "{delay} ms, {:?}", playout.stats());
    }
}

#[test]
fn reordered_and_doubled_packets_are_put_right() {
    let packets = spoken(&signal::tone(440.0, 0.5, samples_of(8_000)));
    let mut network = |at: usize| Some(if at % 7 == 3 { ms(21) } else { ms(0) });
    let learned = run(&packets[..200], &mut network, 0.0).playout.stats();
    let whole = run(&packets, &mut network, 0.0).playout.stats();
    assert!(whole.reordered > learned.reordered + 20, "{whole:?}");
    // The first ones come too late; from then on it waits for them.
    assert_eq!((whole.lost, whole.late), (learned.lost, learned.late), "{whole:?}");
    assert!(learned.lost < 15, "{learned:?}");
    let mut playout = Playout::new();
    for packet in [&packets[0], &packets[1], &packets[1]] {
        playout.insert(ms(0), packet.clone());
    }
    assert_eq!(playout.stats().duplicates, 1);
}

#[test]
fn a_pause_is_no_loss_and_what_follows_is_heard() {
    let mut packets = spoken(&signal::tone(440.0, 0.5, samples_of(2_000)));
    // Nothing is sent for two seconds; the timestamp counts on, the sequence does not.
    let (first, second) = packets.split_at_mut(50);
    for packet in second.iter_mut() {
        packet.timestamp = packet.timestamp.wrapping_add(96_000);
    }
    let packets = [first.to_vec(), second.to_vec()].concat();
    let network = |at: usize| Some(if at < 50 { ms(0) } else { ms(2_000) });
    let mut arrivals = packets.clone();
    arrivals.extend(std::iter::repeat_n(packets[99].clone(), 100));
    let Run { playout, heard } = run(&arrivals, &mut |at| if at < 100 { network(at) } else { None }, 0.0);
    let stats = playout.stats();
    assert_eq!((stats.lost, stats.underruns, stats.late), (0, 0, 0), "{stats:?}");
    assert!(rms_db(&heard[samples_of(1_600)..samples_of(2_800)]) < -60.0);
    assert!(rms_db(&heard[samples_of(3_300)..samples_of(3_900)]) > -15.0);
}

#[test]
fn a_short_gap_of_the_network_is_bridged_and_caught_up() {
    let packets = spoken(&signal::tone(440.0, 0.5, samples_of(8_000)));
    // A hundred milliseconds come at once.
    let mut network =
        |at: usize| Some(if (100..105).contains(&at) { ms(20) * (105 - at as u32) } else { ms(0) });
    let Run { playout, .. } = run(&packets, &mut network, 0.0);
    let stats = playout.stats();
    assert_eq!(stats.lost, 0, "{stats:?}");
    assert!(stats.underruns >= 1, "{stats:?}");
    let mut late = Playout::new();
    for (at, packet) in packets.iter().enumerate().take(200) {
        late.insert(ms(20) * at as u32, packet.clone());
        let _newest = late.render(ms(20) * at as u32, &mut [0.0; FRAME]);
    }
    assert!(late.stats().depth < ms(80), "{:?}", late.stats());
}

#[test]
fn another_stream_is_taken_up_at_once() {
    let packets = spoken(&signal::tone(440.0, 0.5, samples_of(2_000)));
    let mut other = packets.clone();
    for packet in &mut other {
        packet.timestamp = packet.timestamp.wrapping_add(1 << 30);
        packet.sequence = packet.sequence.wrapping_add(30_000);
    }
    let both = [packets, other].concat();
    let Run { playout, heard } = run(&both, &mut |_| Some(Duration::ZERO), 0.0);
    assert!(rms_db(&heard[samples_of(2_300)..samples_of(3_800)]) > -15.0);
    assert_eq!(playout.stats().late, 0, "{:?}", playout.stats());
}

#[test]
fn an_hour_of_drifting_clocks_lets_neither_delay_nor_underruns_grow() {
    for ppm in [100.0, -100.0] {
        // Ten minutes at six times the drift are an hour's worth of it.
        let packets: Vec<SoundPacket> = {
            let minute = spoken(&signal::tone(440.0, 0.5, samples_of(2_000)));
            (0..30_000_u32)
                .map(|at| SoundPacket {
                    sequence: at as u16,
                    timestamp: at * 960,
                    marker: at == 0,
                    payload: minute[(at % 100) as usize].payload.clone(),
                })
                .collect()
        };
        let Run { playout, .. } = run(&packets, &mut |_| Some(Duration::ZERO), ppm * 6.0);
        let stats = playout.stats();
        assert!(stats.underruns <= 1, "{stats:?}");
        assert!(stats.late <= 1 && stats.lost == 0, "{stats:?}");
    }
}

#[test]
fn d11_silence_that_is_not_sent_and_one_byte_packets_are_no_loss() {
    let mut packets = spoken(&signal::tone(440.0, 0.5, samples_of(1_000)));
    for packet in packets.iter_mut().skip(20).step_by(4) {
        packet.payload = Bytes::from_static(&[0x78]);
    }
    let Run { playout, .. } = run(&packets, &mut |_| Some(Duration::ZERO), 0.0);
    assert_eq!(playout.stats().damaged, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_packets_harm_it_and_it_always_fills(
        packets in prop::collection::vec((any::<u16>(), any::<u32>(), prop::collection::vec(any::<u8>(), 0..60), 0..100_u64), 0..300)
    ) {
        let mut playout = Playout::new();
        let mut now = Duration::ZERO;
        for (sequence, timestamp, payload, after) in packets {
            now += ms(after);
            playout.insert(now, SoundPacket { sequence, timestamp, marker: false, payload: payload.into() });
            let mut out = [9.0; STEP];
            let _newest = playout.render(now, &mut out);
            prop_assert!(out.iter().all(|sample| sample.is_finite() && sample.abs() < 9.0));
            prop_assert!(playout.waiting.len() <= MOST_PACKETS && playout.ready.len() < samples_of(500));
        }
    }
}
