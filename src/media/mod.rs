//! Sound between the wire and the devices: codec, resampling, jitter buffer, levels, files. Pure: no I/O, no clock; time
//! is passed in. Everything inside is mono, 48 kHz, `f32` from −1 to 1; devices and files are brought to that at their
//! edges. Level 1.
