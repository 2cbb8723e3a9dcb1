use crate::media::signal::{CHIRP, Tone, chirp, dominant, find_chirp, goertzel, purity, silence, tone};

#[test]
fn a_chirp_is_found_to_the_sample_under_noise_as_loud_as_itself() {
    let mut state = 1_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (f64::from(state) / f64::from(u32::MAX) - 0.5) as f32
    };
    let mut recording: Vec<f32> = (0..96_000).map(|_| noise() * 0.2).collect();
    let nothing = find_chirp(&recording).unwrap();
    assert!(nothing.confidence < 0.2, "{nothing:?}");
    for (at, sample) in chirp(0.1).iter().enumerate() {
        recording[31_234 + at] += sample;
    }
    let found = find_chirp(&recording).unwrap();
    assert_eq!(found.at, 31_234);
    assert!(found.confidence > 0.5, "{found:?}");
}

#[test]
fn a_chirp_alone_is_certain_and_silence_holds_none() {
    let recording = [silence(5_000), chirp(0.01), silence(100)].concat();
    let found = find_chirp(&recording).unwrap();
    assert!(found.at == 5_000 && found.confidence > 0.999, "{found:?}");
    assert_eq!(find_chirp(&silence(48_000)), None);
    assert_eq!(find_chirp(&chirp(0.5)[..CHIRP - 1]), None);
    assert_eq!(find_chirp(&[]), None);
}

#[test]
fn a_tone_has_its_frequency_its_amplitude_and_nothing_else() {
    let sound = tone(441.5, 0.25, 48_000);
    assert!((dominant(&sound).unwrap() - 441.5).abs() < 0.1);
    assert!((goertzel(&sound, 441.5) - 0.25).abs() < 0.005);
    assert!(goertzel(&sound, 800.0) < 0.005);
    assert!(purity(&sound, 441.5) > 100.0);
    assert_eq!(dominant(&silence(48_000)), None);
    let mut running = Tone::new(441.5, 0.25);
    let parts: Vec<f32> = (0..100).flat_map(|_| running.by_ref().take(480).collect::<Vec<_>>()).collect();
    assert_eq!(parts, sound);
}
