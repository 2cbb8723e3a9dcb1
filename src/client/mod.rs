//! The engine: a pure reducer and one driver for each port.
