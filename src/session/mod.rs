//! The client's state machine, sans I/O: a gate for what we send, a judge for what we receive.
