//! The command line as people and scripts meet it: words, exit codes, what is left on disk.

#[cfg(test)]
#[path = "../support/mod.rs"]
mod support;

#[cfg(test)]
mod after_a_kill;
mod bad_input;
#[cfg(test)]
mod beside_others;
#[cfg(test)]
mod clean;
mod clean_locked;
#[cfg(test)]
mod completions;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod exact_words;
#[cfg(test)]
mod expertise;
#[cfg(test)]
mod foreign_groups;
#[cfg(test)]
mod foreign_state;
#[cfg(test)]
mod foreign_styles;
#[cfg(test)]
mod guard;
#[cfg(test)]
mod help;
#[cfg(test)]
mod init;
#[cfg(test)]
mod init_full_disk;
#[cfg(test)]
mod instructions;
#[cfg(test)]
mod interop;
#[cfg(test)]
mod killed_gates;
#[cfg(test)]
mod log;
#[cfg(test)]
mod looking;
#[cfg(test)]
mod mail;
#[cfg(test)]
mod merge;
#[cfg(test)]
mod merge_again;
#[cfg(test)]
mod merge_dry;
#[cfg(test)]
mod merge_full_disk;
#[cfg(test)]
mod merge_interrupted;
mod merge_large;
#[cfg(test)]
mod merge_notes;
#[cfg(test)]
mod merge_settings;
#[cfg(test)]
mod merge_together;
#[cfg(test)]
mod merge_told;
#[cfg(test)]
mod no_files;
#[cfg(test)]
mod nudge;
#[cfg(test)]
mod observe;
#[cfg(test)]
mod odd_names;
#[cfg(test)]
mod odd_paths;
#[cfg(test)]
mod odd_values;
#[cfg(test)]
mod only_javascript;
#[cfg(test)]
mod pull_request;
mod pull_request_text;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod redact;
#[cfg(test)]
mod redact_utf16;
#[cfg(test)]
mod replaced_objects;
#[cfg(test)]
mod reserved_names;
#[cfg(test)]
mod reverted;
mod room;
#[cfg(test)]
mod sandbox_alone;
#[cfg(test)]
mod small_print;
#[cfg(test)]
mod spec;
#[cfg(test)]
mod task;
#[cfg(test)]
mod together;
#[cfg(test)]
mod undo_noted;
#[cfg(test)]
mod unusual;
#[cfg(test)]
mod update;
#[cfg(test)]
mod usage;
