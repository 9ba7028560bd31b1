//! Signals that ask a process to end.

/// Returns when this process is asked to end.
#[cfg(unix)]
pub async fn end() {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [
        SignalKind::terminate(),
        SignalKind::interrupt(),
        SignalKind::hangup(),
        SignalKind::quit(),
    ];
    let mut streams: Vec<_> = kinds.into_iter().filter_map(|k| signal(k).ok()).collect();
    std::future::poll_fn(|cx| {
        if streams.iter_mut().any(|s| s.poll_recv(cx).is_ready()) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
}

/// Returns when this process is asked to end.
#[cfg(not(unix))]
pub async fn end() {
    // Without the handler the system ends the process by itself.
    tokio::signal::ctrl_c().await.unwrap_or_default();
}
