//! Git as an agent in a sandbox calls it (L5): a small program in front of the real one, which makes the commands
//! work that remove refs.
//!
//! Git removes no ref, also none of a worktree's own such as `CHERRY_PICK_HEAD`, without making `packed-refs.lock`
//! in the repository's git folder, and that folder is not the agent's to write. Git's ref store finds it by the
//! file `commondir` of the worktree's folder and by nothing else, `GIT_COMMON_DIR` included. So a call that may
//! remove refs gets, for as long as it runs, a worktree folder of its own ([`state`]), which leads to a git folder
//! made of links to the real one and of the few files that the agent writes for itself ([`view`]).
//!
//! Packed refs are one file of everybody's. A branch of its own that the user has packed is removed for the agent by its
//! host ([`branches`]). Without a sandbox only calls about the stash get a view: the stash would be the user's.
//!
//! Refs of remotes are everybody's as well: before a call that fetches, the host brings them up to date ([`remotes`]).
//!
//! It gives no right: links lead where the sandbox decides, and whatever cannot be done this way is done by git as
//! it is. Called by anybody else, or for another repository, it becomes git at once.

mod aliases;
mod branches;
mod packed;
mod place;
mod publish;
mod remotes;
mod run;
mod settings;
mod state;
mod turn;
mod view;
mod words;

pub use run::instead_of_git;
