//! The signals that end a command which runs until it is stopped.

use tokio::signal::unix::{SignalKind, signal};

/// Returns a future that ends with the next SIGINT or SIGTERM. The signals are caught from the call on, not from the
/// first poll, so a command that calls this before it prints `listening` never dies of a signal after that.
pub fn interruption() -> impl Future<Output = ()> + Send + 'static {
    let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    async {
        let (Ok(mut interrupt), Ok(mut terminate)) = signals else {
            // Without signal handlers, the system ends the process at once.
            return std::future::pending().await;
        };
        tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
    }
}

#[cfg(test)]
mod tests {
    use super::interruption;
    use std::process::Command;

    #[tokio::test]
    async fn a_signal_before_the_first_poll_is_caught() {
        let interrupted = interruption();
        let sent = Command::new("sh").args(["-c", "kill -TERM $PPID"]).status();
        assert!(sent.unwrap().success());
        interrupted.await;
    }
}
