//! Not a test: what `leaving` runs in a terminal of its own, because the program itself has no panic to offer.

use std::io::Write;

use agentcall::tui::guard::Guard;

#[test]
#[ignore = "run by `a_panic_anywhere_gives_the_terminal_back_before_its_line`, in a terminal"]
fn panics_while_the_terminal_is_taken() {
    if std::env::var_os("AGENTCALL_PROBE").is_none() {
        return;
    }
    let guard = Guard::enter().unwrap();
    let mut output = guard.output();
    output.write_all(b"\x1b[?2026h\x1b[31mhalf a frame").unwrap();
    output.flush().unwrap();
    std::thread::spawn(|| panic!("the probe panics")).join().unwrap_err();
    output.write_all(b"a late frame").unwrap();
    output.flush().unwrap();
}
