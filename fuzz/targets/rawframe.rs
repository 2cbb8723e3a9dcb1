#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agentcall_fuzz::rawframe(data));
