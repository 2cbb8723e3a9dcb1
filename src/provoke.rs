//! A fault of our own on purpose, so that tests see what the real program makes of one. Called where a panic would be
//! worst: by the engine's driver, the input thread and the drawing. In a build without debug assertions, as every
//! release is, it is nothing.

/// Panics if `AGENTCALL_PANIC_AT` names this place.
///
/// # Panics
/// When a test wants it; the message holds data on purpose, which nobody is to see.
#[cfg(debug_assertions)]
pub fn panic_at(place: &str) {
    if std::env::var("AGENTCALL_PANIC_AT").is_ok_and(|wanted| wanted == place) {
        let secret = std::env::var("AGENTCALL_PANIC_WITH").unwrap_or_default();
        panic!("a test asks for a panic at {place}: {secret}");
    }
}

/// Nothing.
#[cfg(not(debug_assertions))]
pub const fn panic_at(_place: &str) {}
