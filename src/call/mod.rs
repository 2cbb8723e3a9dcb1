//! One WebRTC call: one Opus track each way and one ordered, reliable data channel (`agentcall-webrtc-0.1`). The offering
//! and the answering side, for `transport` and for the embedded `agent`. Level 1, behind the feature `webrtc`.
