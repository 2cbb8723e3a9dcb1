//! Bounded decoding, orientation, resizing, the JPEG that fits. Pure.
