//! Keys of YAML without a value that both sides put in at one place. Such a line looks like a head of what follows; where
//! nothing follows that could be its value, it stands for itself. Pure.

use crate::merge::lines::is_blank;

use super::insertions::union;
use super::sorted::in_order;
use crate::merge::settle::file::Rules;
use crate::merge::settle::held::clashes::clash;
use crate::merge::settle::once::Language;
use crate::merge::settle::pieces::Contest;
use crate::merge::settle::reading::leaning::{depth, indent};
use crate::merge::settle::reading::text::Text;

/// The keys of both, before the line `at` of the base. `None` where one of them may have a value.
pub(in crate::merge::settle) fn empty_keys<'a>(
    contest: &Contest<'a>,
    base: &Text<'_, '_>,
    at: usize,
    rules: Rules,
) -> Option<Vec<&'a [u8]>> {
    let (ours, theirs) = (&contest.ours, &contest.theirs);
    if rules.language != Language::Yaml || !contest.base.is_empty() {
        return None;
    }
    let depth = depth(ours);
    let is_key = |line: &&[u8]| indent(line) == depth && is_key_alone(line);
    let below = base.lines.get(at..).unwrap_or_default().iter();
    let mut below = below.filter(|line| !is_blank(line) && !line.trim_ascii().starts_with(b"#"));
    let has_value = |line: &&[u8]| indent(line) > depth || line.trim_ascii().starts_with(b"-");
    let stand_alone = !ours.is_empty()
        && !theirs.is_empty()
        && ours.iter().chain(theirs).all(is_key)
        && !below.next().is_some_and(has_value)
        && !clash(ours, theirs, base, at);
    stand_alone
        .then(|| in_order(ours, theirs, base.lines, at).unwrap_or_else(|| union(ours, theirs)))
}

fn is_key_alone(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    let key = text.strip_suffix(b":").unwrap_or_default();
    !key.is_empty()
        && key
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(byte))
}
