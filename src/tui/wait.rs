//! Waiting without ticking: for a time that may never come, for the next event, for what is there.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Instant;

use futures_core::Stream;

/// Sleeps until a time, or for ever.
pub(crate) async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

/// Gives what a stream has already. Polled with the loop's own waker: it remembers whom to wake.
pub(crate) async fn ready<I: Stream + Unpin>(input: &mut I) -> Option<Option<I::Item>> {
    poll_fn(|cx| {
        Poll::Ready(match Pin::new(&mut *input).poll_next(cx) {
            Poll::Ready(event) => Some(event),
            Poll::Pending => None,
        })
    })
    .await
}

/// Waits for the next thing a stream gives.
pub(crate) async fn next<I: Stream + Unpin>(stream: &mut I) -> Option<I::Item> {
    poll_fn(|cx| Pin::new(&mut *stream).poll_next(cx)).await
}
