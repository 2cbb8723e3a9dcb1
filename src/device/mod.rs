//! Devices: traits, simulated and unavailable implementations side by side; consent as a type.
