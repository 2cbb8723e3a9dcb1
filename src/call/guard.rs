//! Sockets are given back, whatever happens: the stack keeps them, and a task, until it is closed.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use webrtc::peer_connection::PeerConnection;

/// Closes a peer connection when it is dropped or asked to, from a task of its own: closing waits for the stack's task, and
/// whoever closes may be what that one waits for.
pub(super) struct Guard {
    connection: Option<Arc<dyn PeerConnection>>,
    within: Duration,
}

impl Guard {
    /// Guards `connection`; closing it takes at most `within`.
    pub fn new(connection: Arc<dyn PeerConnection>, within: Duration) -> Self {
        Self { connection: Some(connection), within }
    }

    /// Closes it, and waits for that.
    pub async fn close(mut self) {
        if let Some(task) = self.begin() {
            let _panicked = task.await;
        }
    }

    fn begin(&mut self) -> Option<JoinHandle<()>> {
        let (connection, within) = (self.connection.take()?, self.within);
        // Without a runtime its tasks and sockets are gone already.
        let runtime = Handle::try_current().ok()?;
        Some(runtime.spawn(async move {
            let _late_or_failed = timeout(within, connection.close()).await;
        }))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.begin();
    }
}
