//! The command line as people and scripts meet it: words, exit codes, what is left on disk.

#[cfg(test)]
#[path = "../support/mod.rs"]
mod support;

#[cfg(test)]
mod doctor;
#[cfg(test)]
mod init;
#[cfg(test)]
mod mail;
#[cfg(test)]
mod merge;
#[cfg(test)]
mod usage;
