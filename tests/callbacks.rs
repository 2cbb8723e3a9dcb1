//! What runs on a sound device's own thread allocates nothing: counted at the allocator.
#![cfg(feature = "audio")]
#![allow(unsafe_code)] // an allocator cannot be counted without
#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use agentcall::device::audio::callback::{Counts, Ear, Mouth};
use cpal::{FromSample, I24, Sample, U24};
use rtrb::RingBuffer;

struct Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn without_allocating<T>(work: impl FnOnce() -> T) -> T {
    let before = CALLS.with(Cell::get);
    let done = work();
    assert_eq!(CALLS.with(Cell::get) - before, 0, "a callback allocated or freed");
    done
}

/// Speaks samples in a form and hears them again; what does not fit is counted, what is missing is silence.
fn passes<T>(step: f32)
where
    T: Sample + FromSample<f32> + Debug,
    f32: FromSample<T>,
{
    let told = [0.0, 0.5, -0.5, 0.25, -1.0, 2.0, -2.0, f32::NAN];
    let meant = [0.0, 0.5, -0.5, 0.25, -1.0, 1.0, -1.0, 0.0];
    let counts = Arc::new(Counts::default());
    let (mut to, from) = RingBuffer::new(16);
    to.push_entire_slice(&told).unwrap();
    let mut mouth = Mouth::new(from, Arc::clone(&counts));
    let mut spoken = [T::EQUILIBRIUM; 10];
    without_allocating(|| mouth.speak(&mut spoken));
    assert_eq!(counts.passed.load(Ordering::Relaxed), 8);

    let (to, mut from) = RingBuffer::new(12);
    let mut ear = Ear::new(to, Arc::clone(&counts));
    without_allocating(|| ear.hear(&spoken));
    without_allocating(|| ear.hear(&spoken));
    assert_eq!(counts.lost.load(Ordering::Relaxed), 10, "the second has no room, and nothing of it is taken");
    assert_eq!(counts.calls.load(Ordering::Relaxed), 3);
    for meant in meant.into_iter().chain([0.0, 0.0]) {
        let heard = from.pop().unwrap();
        assert!((heard - meant).abs() <= step, "{meant} came back as {heard} through {:?}", T::EQUILIBRIUM);
    }
}

#[test]
fn every_form_of_sample_passes_both_ways_without_an_allocation() {
    let coarse = 1.0 / 64.0;
    passes::<i8>(coarse);
    passes::<u8>(coarse);
    let fine = 1.0 / 16_384.0;
    passes::<i16>(fine);
    passes::<u16>(fine);
    passes::<I24>(fine);
    passes::<U24>(fine);
    passes::<i32>(fine);
    passes::<u32>(fine);
    passes::<i64>(fine);
    passes::<u64>(fine);
    passes::<f32>(fine);
    passes::<f64>(fine);
}
