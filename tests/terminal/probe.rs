//! Not a test: what `leaving` runs in a terminal of its own, because the program itself has no panic to offer.

use std::process::ExitCode;

use agentcall::cli::exit::{Exit, Failure, Kind};
use agentcall::cli::guarded;
use agentcall::cli::output::Form;
use agentcall::tui::guard::Guard;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

/// Where something may panic: as the engine does, as the thread that reads keys does, and while a frame is drawn.
pub const PLACES: [&str; 3] = ["task", "thread", "draw"];

#[test]
#[ignore = "run by `a_panic_anywhere_gives_the_terminal_back_before_its_line`, in a terminal"]
fn panics_while_the_terminal_is_taken() {
    let Ok(place) = std::env::var("AGENTCALL_PROBE") else { return };
    let code = guarded(Form::Text, |_, faults| {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let guard = Guard::enter().unwrap();
            let mut terminal = Terminal::new(CrosstermBackend::new(guard.output())).unwrap();
            terminal.draw(|frame| frame.render_widget("half a frame", frame.area())).unwrap();
            match place.as_str() {
                "task" => drop(tokio::spawn(async { panic_with("what the engine knew") }).await),
                "thread" => drop(std::thread::spawn(|| panic_with("what was typed")).join()),
                _ => drop(terminal.draw(|_| panic_with("what was shown"))),
            }
            terminal.draw(|frame| frame.render_widget("a late frame", frame.area())).unwrap();
            faults.happened().await;
            Err::<Exit, _>(Failure::silent(Kind::Internal))
        })
    });
    // The exit code cannot be looked into; it can be compared.
    let fault = format!("{code:?}") == format!("{:?}", ExitCode::from(70));
    std::process::exit(if fault { 70 } else { 1 });
}

/// A message that is put together at run time may hold what a user typed.
fn panic_with(secret: &str) {
    panic!("secret: {secret}");
}
