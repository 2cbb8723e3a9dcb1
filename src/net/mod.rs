//! URL policy, address checks, pinned connections, TLS, credentials.
