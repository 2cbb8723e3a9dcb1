//! Parses the command line, runs, and maps the outcome to an exit code.

use std::process::ExitCode;

use agentcall::device::camera::child;

/// Frames come by the thousand, and each is a handful of small texts (docs/performance.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == child::ARGUMENT) {
        return ExitCode::from(child::child_main(std::io::stdin().lock(), std::io::stdout().lock()));
    }
    agentcall::cli::main(std::env::args_os())
}
