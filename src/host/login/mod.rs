//! Keeping the user's login of an agent CLI alive while agents work.
//!
//! An agent reads the login and cannot renew it: the folder is the user's, and what lies in it is run and trusted.
//! So each host of a confined agent has a timer set to the last minutes of the login. One host on the machine lets the
//! user's own CLI renew it, outside of every sandbox; the others find it renewed. Grove looks at the time at which a
//! login runs out and at nothing else of it.

mod decide;
mod keeper;
mod record;
mod renew;
mod tell;

pub(super) use keeper::Keeper;
