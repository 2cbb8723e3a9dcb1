//! Parses the command line, runs, and maps the outcome to an exit code.

use std::process::ExitCode;

use agentcall::device::{audio, camera};

/// Frames come by the thousand, and each is a handful of small texts (docs/performance.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let first = std::env::args_os().nth(1);
    if first.as_ref().is_some_and(|first| first == camera::child::ARGUMENT) {
        let code = camera::child::child_main(std::io::stdin().lock(), std::io::stdout().lock());
        return ExitCode::from(code);
    }
    if first.as_ref().is_some_and(|first| first == audio::child::ARGUMENT) {
        let arguments = std::env::args_os().skip(2);
        let code = audio::child::child_main(arguments, std::io::stdin(), std::io::stdout().lock());
        return ExitCode::from(code);
    }
    agentcall::cli::main(std::env::args_os())
}
