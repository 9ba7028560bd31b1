//! Pure text helpers shared by every layer: widths, durations, numbers, redaction, suggestions.
//!
//! Nothing here reads the clock, the environment or a file, and nothing here knows what the text
//! is for. Two measures of length exist on purpose: `width` counts terminal columns and is what
//! our own screens use; `utf16` counts UTF-16 code units and is what contract text uses.

mod align;
mod diff;
mod differing;
mod duration;
mod highlight;
mod json;
mod jsonl;
mod named;
mod number;
mod redact;
mod suggest;
mod tolerant;
mod tool_call;
mod unseen;
mod utf16;
pub mod width;
mod written_time;

pub use align::{AlignedRow, align, changed_words};
pub use diff::{LineChange, diff_lines};
pub use differing::{differing, differing_numbers};
pub use duration::{format_age, format_clock, format_duration};
pub use highlight::{Ink, Run, highlight};
pub use json::{append_compact_json, to_compact_json, to_tabbed_json};
pub use jsonl::{JsonLine, parse_jsonl, print_jsonl};
pub use named::named;
pub use number::{counted, format_fixed, format_grouped, format_number, format_usd};
pub use redact::{
    REPLACEMENT, RedactingStream, Redactor, SecretValue, below_torn_key, redact_json,
    redact_json_text, secret_values,
};
pub use suggest::{closest, edit_distance, similar};
pub use tolerant::{
    first_value, is_json, is_strict_json, list_items, mended_json, read_json, rewritten,
};
pub use tool_call::{recorded_args, tool_summary};
pub use unseen::visible;
pub use utf16::{pad_end_utf16, pad_start_utf16, truncate_utf16, utf16_len};
pub use width::{
    display_width, fit, pad, sanitize_block, sanitize_line, truncate, truncate_start,
    without_controls,
};
pub use written_time::WrittenTime;
