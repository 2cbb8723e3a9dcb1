//! Transports: WebSocket, and memory for tests.
