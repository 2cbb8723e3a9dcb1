use proptest::prelude::*;

use crate::media::resample::{Capture, Render, ResampleError};
use crate::media::signal::{dominant, purity, tone};

/// A sine at any rate.
fn sine(rate: u32, frequency: f64, seconds: f64) -> Vec<f32> {
    let count = (f64::from(rate) * seconds) as usize;
    (0..count)
        .map(|at| {
            ((at as f64 * frequency / f64::from(rate)).fract() * std::f64::consts::TAU).sin() as f32 * 0.5
        })
        .collect()
}

fn captured(rate: u32, channels: u16, sound: &[f32], block: usize) -> Vec<f32> {
    let mut capture = Capture::new(rate, channels).unwrap();
    let interleaved: Vec<f32> = sound.iter().flat_map(|&s| std::iter::repeat_n(s, channels.into())).collect();
    let mut out = Vec::new();
    interleaved.chunks(block).for_each(|part| capture.add(part, &mut out));
    let delay = capture.delay();
    capture.flush(&mut out);
    out.split_off(delay)
}

#[test]
fn ten_seconds_of_a_sine_come_out_whole_and_without_a_jump_whatever_the_blocks() {
    for (rate, channels, block) in
        [(44_100, 1, 441), (44_100, 2, 333), (16_000, 1, 160), (96_000, 2, 1_001), (8_000, 1, 7)]
    {
        let out = captured(rate, channels, &sine(rate, 440.0, 10.0), block);
        assert!(out.len().abs_diff(480_000) <= 2, "{rate}: {}", out.len());
        // The steepest step of this sine; where it begins and ends so suddenly, the filter swings a little more.
        let steepest = 0.5 * 440.0 * std::f32::consts::TAU / 48_000.0;
        let jump = |part: &[f32]| part.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
        assert!(jump(&out) < steepest * 1.25, "{rate}: {}", jump(&out));
        assert!(jump(&out[480..479_520]) < steepest * 1.01, "{rate}: {}", jump(&out[480..479_520]));
        let inner = &out[4_800..475_200];
        assert!(purity(inner, 440.0) > 60.0, "{rate}: {}", purity(inner, 440.0));
    }
}

#[test]
fn nothing_that_a_lower_rate_cannot_carry_comes_through() {
    let mut render = Render::new(16_000, 1).unwrap();
    let mut out = Vec::new();
    render.add(&tone(12_000.0, 0.5, 48_000), &mut out);
    let loudest = out[1_000..].iter().fold(0.0_f32, |most, s| most.max(s.abs()));
    assert!(loudest < 0.001, "{loudest}");
}

#[test]
fn every_channel_of_a_device_gets_the_sound_and_a_channel_more_changes_nothing() {
    for rate in [44_100, 48_000] {
        let mut render = Render::new(rate, 2).unwrap();
        let mut out = Vec::new();
        tone(1_000.0, 0.5, 48_000).chunks(480).for_each(|part| render.add(part, &mut out));
        render.flush(&mut out);
        assert!(out.chunks(2).all(|frame| frame[0] == frame[1]));
        assert!((out.len() / 2).abs_diff(rate as usize + render.delay()) <= 2);
    }
    let mut fixed = Render::fixed(48_000, 1).unwrap();
    let (sound, mut out) = (tone(1_000.0, 0.5, 4_800), Vec::new());
    fixed.add(&sound, &mut out);
    assert_eq!((out, fixed.delay()), (sound, 0));
}

#[test]
fn drift_is_made_up_for_by_as_many_samples_and_without_a_click() {
    let mut render = Render::new(48_000, 1).unwrap();
    let mut out = Vec::new();
    render.set_drift(0.001);
    tone(440.0, 0.5, 480_000).chunks(960).for_each(|part| render.add(part, &mut out));
    render.flush(&mut out);
    assert!(out.len().abs_diff(480_480 + render.delay()) <= 48, "{}", out.len());
    let jump = out[200..480_000].windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
    assert!(jump < 0.03, "{jump}");
    assert!((dominant(&out[200..240_200]).unwrap() - 440.0 / 1.001).abs() < 0.2);
    render.set_drift(f64::NAN);
    render.set_drift(-9.0);
    render.add(&[0.0; 9_600], &mut out);
}

#[test]
fn a_frame_that_is_cut_between_two_blocks_stays_whole() {
    let mut capture = Capture::new(48_000, 3).unwrap();
    let mut out = Vec::new();
    for part in [&[0.3_f32, 0.3][..], &[0.3], &[0.6], &[], &[0.6, 0.6, 0.9, 0.9, 0.9]] {
        capture.add(part, &mut out);
    }
    let near = out.iter().zip([0.3, 0.6, 0.9]).all(|(is, should)| (is - should).abs() < 1e-6);
    assert!(near && out.len() == 3, "{out:?}");
}

#[test]
fn rates_and_channels_out_of_bounds_are_named() {
    assert_eq!(Capture::new(7_999, 1).err(), Some(ResampleError::Rate(7_999)));
    assert_eq!(Render::new(192_001, 1).err(), Some(ResampleError::Rate(192_001)));
    assert_eq!(Capture::new(48_000, 0).err(), Some(ResampleError::Channels(0)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_rate_any_channels_and_any_blocks_give_the_time_that_went_in(
        rate in 8_000_u32..=192_000, channels in 1_u16..=8, block in 1_usize..3_000,
    ) {
        let out = captured(rate, channels, &sine(rate, 300.0, 0.25), block);
        // A frame that the quarter of a second cuts is not there.
        prop_assert!(out.len().abs_diff(12_000) <= 2 + 48_000 / rate as usize, "{}", out.len());
    }
}
