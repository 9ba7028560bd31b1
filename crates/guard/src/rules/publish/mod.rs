//! What lets work out other than git: registries, forges, deployments, and tasks that a project names so.

pub(crate) mod addresses;
mod dry;
pub(crate) mod global_options;
mod infrastructure;
mod programs;
mod runners;
mod storage;
mod table;
mod unknown;
mod words;

pub(super) use programs::{hub, judge, publishes, unknown_publisher};
pub(crate) use programs::{published_by_module, publishing_script};
pub(crate) use runners::{judge as named_tasks, judge_task as publishing_task};
pub(crate) use words::by_subcommand as publishing_words;
