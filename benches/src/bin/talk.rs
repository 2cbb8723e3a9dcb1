//! The agent of the measurements alone, to look at a client of it by hand: `talk ENVELOPES RUN PER_BLOCK [PACE_MS]`.

use std::time::Duration;

use agentcall_benches::agent::Agent;
use agentcall_benches::frames::Stream;

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).map(|n| n.parse().expect("a number")).collect();
    let [envelopes, run, per_block, pace @ ..] = &numbers[..] else {
        eprintln!("talk ENVELOPES RUN PER_BLOCK [PACE_MS]");
        std::process::exit(2);
    };
    let stream = Stream::new(*envelopes, *run, usize::try_from(*per_block).expect("a small number"));
    let agent = Agent::start(stream, pace.first().map(|ms| Duration::from_millis(*ms)));
    println!("{}\n{}", agent.origin(), agent.print_url());
    loop {
        std::thread::park();
    }
}
