//! The reference agent: pure brain and server. Never imports `session` or `client`.
