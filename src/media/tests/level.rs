use crate::media::level::{DeadInput, FLOOR_DB, Level, Meter};
use crate::media::samples_of;
use crate::media::signal::{silence, tone};

#[test]
fn a_sine_of_full_scale_is_three_decibels_below_it_and_clips() {
    let mut meter = Meter::new();
    meter.add(&tone(997.0, 1.0, samples_of(200)));
    let level = meter.read();
    assert!((level.rms_db + 3.01).abs() < 0.1, "{level:?}");
    assert!(level.peak_db.abs() < 0.1 && level.clipped, "{level:?}");
    let mut half = Meter::new();
    half.add(&tone(997.0, 0.5, samples_of(200)));
    assert!((half.read().peak_db + 6.02).abs() < 0.1 && !half.read().clipped);
}

#[test]
fn silence_is_the_floor_and_the_hold_stands_and_then_falls() {
    let mut meter = Meter::new();
    assert_eq!(meter.read(), Level::SILENT);
    meter.add(&[1.0]);
    meter.add(&silence(samples_of(1_400)));
    let held = meter.read();
    assert_eq!((held.rms_db, held.peak_db, held.clipped), (FLOOR_DB, FLOOR_DB, false));
    assert!(held.peak_hold_db.abs() < 0.01, "{held:?}");
    meter.add(&silence(samples_of(1_100)));
    assert!((meter.read().peak_hold_db + 20.0).abs() < 0.1, "{:?}", meter.read());
    meter.add(&silence(samples_of(10_000)));
    assert_eq!(meter.read(), Level::SILENT);
}

#[test]
fn what_is_no_number_is_silence() {
    let mut meter = Meter::new();
    meter.add(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
    assert_eq!(meter.read(), Level::SILENT);
}

#[test]
fn zeros_for_two_seconds_are_a_dead_input_and_a_quiet_room_is_none() {
    let mut dead = DeadInput::new();
    let mut room = DeadInput::new();
    for step in 0..200 {
        assert!(!dead.add(&silence(480)), "after {step}");
        let mut quiet = silence(480);
        quiet[step] = 1e-7;
        assert!(!room.add(&quiet));
    }
    assert!(dead.add(&[0.0]));
    assert!(!dead.add(&[1e-7]));
    for _ in 0..1_000 {
        let mut quiet = silence(480);
        quiet[479] = -1e-7;
        assert!(!room.add(&quiet));
    }
}
