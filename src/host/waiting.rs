//! Work that somebody waits for at the other end of a connection.

use std::io;
use std::os::unix::net::UnixStream;

use crate::platform::hangup;

/// Does some work; `left` is called, from another thread, when `client` hangs up before it is done.
///
/// # Errors
/// The system gives no further connection or thread; the work is not done then.
pub(super) fn while_waited_for<T>(
    client: &UnixStream,
    left: impl FnOnce() + Send,
    work: impl FnOnce() -> T,
) -> io::Result<T> {
    // The watcher sleeps until either the client hangs up or this thread lets go of its end.
    let (done, over) = UnixStream::pair()?;
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("client left".to_owned())
            .stack_size(256 * 1024)
            .spawn_scoped(scope, move || {
                if hangup::first_of(client, &over) == hangup::Gone::First {
                    left();
                }
            })?;
        let worked = work();
        drop(done);
        Ok(worked)
    })
}
