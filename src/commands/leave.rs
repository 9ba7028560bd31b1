//! The way out of the full screen: the engine may still be merging, and whoever leaves is told so and can
//! cancel it. Nobody waits for ever behind a terminal that is gone.

use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::cli::{CliError, CliResult, Printer};
use crate::coordinator::progress;
use crate::merge::CallOff;
use crate::platform::signals::{self, Ending};
use crate::platform::{ProjectPaths, hangup};

/// What takes no longer is not worth a word.
const AT_ONCE: Duration = Duration::from_millis(300);
/// How long a merge may take to come to its landing's end when nobody looks any more. What is cut off
/// after that is finished or taken back by the next start, as after a power cut.
const ALONE: Duration = Duration::from_secs(20);

/// What ends or changes the wait.
enum Heard {
    Ended,
    /// Somebody wants to go: by key, or because there is no terminal or no system any more.
    Interrupted,
    Gone,
}

/// An engine that comes to its end.
pub(super) struct Leaving {
    pub(super) engine: JoinHandle<()>,
    pub(super) call_off: CallOff,
    pub(super) paths: ProjectPaths,
    /// Nobody looks any more: nothing is tested for anybody.
    pub(super) alone: bool,
}

impl Leaving {
    /// Waits for the engine, which gives the lease back.
    pub(super) fn wait(self, runtime: &Runtime) -> CliResult<()> {
        let Self {
            engine,
            call_off,
            paths,
            mut alone,
        } = self;
        if alone {
            call_off.all();
        }
        let (sender, mut heard) = unbounded_channel();
        let (ended, gone) = (sender.clone(), sender.clone());
        let joiner = std::thread::Builder::new()
            .name("leave".to_owned())
            .spawn(move || {
                let joined = engine.join();
                ended.send(Heard::Ended).unwrap_or_default();
                joined
            })
            .map_err(CliError::from)?;
        let _watch = hangup::watch_input(move || gone.send(Heard::Gone).unwrap_or_default());
        let out = Printer::new(false, false);
        let ended = runtime.block_on(async {
            let mut ending = Ending::listen();
            let mut cancelled = alone;
            if !alone && let Some(first) = within(AT_ONCE, &mut heard, &mut ending).await {
                match first {
                    Heard::Ended => return true,
                    Heard::Interrupted => cancelled = true,
                    Heard::Gone => alone = true,
                }
            }
            if !alone && !cancelled {
                out.note(waiting_for(&paths));
            }
            loop {
                if alone || cancelled {
                    call_off.all();
                }
                let limit = if alone { ALONE } else { Duration::MAX };
                match within(limit, &mut heard, &mut ending).await {
                    Some(Heard::Ended) => return true,
                    None => return false,
                    Some(Heard::Gone) => alone = true,
                    // A second time it is meant, whatever is being finished.
                    Some(Heard::Interrupted) if cancelled => return false,
                    Some(Heard::Interrupted) => {
                        cancelled = true;
                        out.note(CANCELLED);
                    }
                }
            }
        });
        if !ended {
            tracing::warn!("left while a merge was being finished");
            return Ok(());
        }
        match joiner.join() {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(CliError::new("the engine failed; agents keep running")),
        }
    }
}

const CANCELLED: &str =
    "cancelled: what has not landed waits in the queue; ctrl-c again leaves without looking back";

/// Waits for the next thing; `None` when the time is over.
async fn within(
    limit: Duration,
    heard: &mut UnboundedReceiver<Heard>,
    ending: &mut Ending,
) -> Option<Heard> {
    tokio::select! {
        biased;
        heard = heard.recv() => heard,
        signal = ending.signal() => Some(if signals::is_interrupt(signal) {
            Heard::Interrupted
        } else {
            Heard::Gone
        }),
        () = tokio::time::sleep(limit) => None,
    }
}

fn waiting_for(paths: &ProjectPaths) -> String {
    let merges = progress::of_this_process(paths).unwrap_or_else(|error| {
        tracing::warn!("what is merged cannot be read: {error}");
        Vec::new()
    });
    let what = match merges.as_slice() {
        [] => "what was begun".to_owned(),
        [one] => format!("the merge of {one}"),
        many => format!("{} merges: {}", many.len(), many.join(", ")),
    };
    format!("waiting for {what}; ctrl-c cancels, the target stays as it is")
}
