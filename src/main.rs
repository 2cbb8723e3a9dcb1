//! Parses the command line, runs, and maps the outcome to an exit code.

fn main() {}
