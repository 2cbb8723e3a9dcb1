//! What the measurements share. Each measurement is a program in `src/bin/`; `make bench` runs them all.
