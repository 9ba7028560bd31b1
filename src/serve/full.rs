//! Refusing connections when all places are taken and at work: at once, so that nobody waits for an answer that
//! cannot come.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Refusals that are told at the same time; beyond them connections are only closed.
const MAX_TOLD: usize = 64;
/// The time for a peer to take its refusal.
const TAKE: Duration = Duration::from_secs(1);

const BODY: &str =
    "{\"success\":false,\"command\":\"serve\",\"error\":\"too many connections; try again\"}";

/// Whoever comes when there is no place.
pub(super) struct Full {
    telling: Arc<Semaphore>,
}

impl Full {
    pub(super) fn new() -> Self {
        Self {
            telling: Arc::new(Semaphore::new(MAX_TOLD)),
        }
    }

    /// Tells a connection that there is no place for it, and closes it.
    pub(super) fn refuse(&self, stream: TcpStream) {
        let Ok(turn) = Arc::clone(&self.telling).try_acquire_owned() else {
            return;
        };
        tokio::spawn(async move {
            if timeout(TAKE, tell(stream)).await.is_err() {
                tracing::debug!("a refused connection did not leave by itself");
            }
            drop(turn);
        });
    }
}

async fn tell(mut stream: TcpStream) -> std::io::Result<()> {
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nretry-after: 1\r\nconnection: close\r\n\r\n{BODY}",
        BODY.len()
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    // A socket that is closed with something unread takes back what was written to it.
    let mut request = [0; 1024];
    while stream.read(&mut request).await? > 0 {}
    Ok(())
}
