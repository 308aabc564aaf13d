//! Everything that needs a server.
