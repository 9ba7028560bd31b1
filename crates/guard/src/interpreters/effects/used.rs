//! The names that a piece of code uses, and where they stand in it.

use super::super::syntax::Node;

/// A name that is used, and where.
pub(super) struct Seen<'n> {
    pub(super) name: &'n str,
    /// In a block of its own, which another process may run, or nobody.
    pub(super) block: bool,
    /// In the block that `fork` is given.
    pub(super) child: bool,
}

/// What stands for a command in backquotes.
pub(super) const RUN: &str = "`";

/// The names used in these, however deep.
pub(super) fn seen(nodes: &[Node]) -> Vec<Seen<'_>> {
    let mut all = Vec::new();
    gather(nodes, false, false, &mut all);
    all
}

fn gather<'n>(nodes: &'n [Node], block: bool, child: bool, all: &mut Vec<Seen<'n>>) {
    let mut before = "";
    for node in nodes {
        let mut name = "";
        match node {
            Node::Name(word) => name = word,
            Node::Run(_) => name = RUN,
            Node::Group(bracket, inner) => {
                let brace = *bracket == '{';
                gather(
                    inner,
                    block || brace,
                    child || brace && before == "fork",
                    all,
                );
            }
            Node::Number(_)
            | Node::Text(_)
            | Node::Words(_)
            | Node::Pattern(_)
            | Node::Sign(_)
            | Node::Line => {}
        }
        if !name.is_empty() {
            all.push(Seen { name, block, child });
        }
        before = name;
    }
}

/// Whether one of these names is used.
pub(super) fn named(nodes: &[Node], names: &[&str]) -> bool {
    seen(nodes).iter().any(|seen| names.contains(&seen.name))
}
