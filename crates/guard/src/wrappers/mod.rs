//! Programs that run another program: finds the inner command line and judges that.
//!
//! Only the shapes of their options live here. Interpreters with a language of their own are elsewhere.

mod builders;
mod carried;
mod carriers;
mod debuggers;
mod dispatch;
mod env;
mod options;
mod packages;
mod parallel;
mod shapes;
mod watchers;
mod xargs;

pub(crate) use options::{rest_of, unproven};
