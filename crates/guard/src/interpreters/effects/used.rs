//! The names that a piece of code uses, and where they stand in it.

use super::super::syntax::Node;
use super::endless::is_no_pause;

/// A name that is used, and where.
pub(super) struct Seen<'n> {
    pub(super) name: &'n str,
    /// In a block of its own, which another process may run, or nobody.
    pub(super) block: bool,
    /// In the block that `fork` is given.
    pub(super) child: bool,
    /// A pause of nothing, or a wait for nothing but a start.
    pub(super) still: bool,
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
    for (at, node) in nodes.iter().enumerate() {
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
            let still = is_still(name, nodes.get(at + 1..).unwrap_or_default());
            all.push(Seen {
                name,
                block,
                child,
                still,
            });
        }
        before = name;
    }
}

/// Whether one of these names is used.
pub(super) fn named(nodes: &[Node], names: &[&str]) -> bool {
    seen(nodes).iter().any(|seen| names.contains(&seen.name))
}

/// `sleep 0`, `select(undef, undef, undef, 0)`, `await asyncio.sleep(0)`, `await create_subprocess_exec(…)`.
fn is_still(name: &str, rest: &[Node]) -> bool {
    match name {
        "sleep" | "usleep" | "nanosleep" => is_no_pause(arguments(rest)),
        "select" => {
            let args = arguments(rest);
            args.len() > 3 && is_no_pause(args)
        }
        "await" => {
            let call = |node: &Node| matches!(node, Node::Group('(', _));
            let Some(at) = rest.iter().position(call) else {
                return false;
            };
            let awaited = at.checked_sub(1).and_then(|at| rest.get(at));
            match awaited {
                Some(Node::Name(name)) if name == "sleep" => {
                    is_no_pause(arguments(rest.get(at..).unwrap_or_default()))
                }
                Some(Node::Name(name)) => name.starts_with("create_subprocess_"),
                Some(_) | None => false,
            }
        }
        _ => false,
    }
}

/// What a call is given, in brackets or behind its name.
fn arguments(rest: &[Node]) -> &[Node] {
    if let Some(Node::Group('(', inner)) = rest.first() {
        return inner;
    }
    let ends = |node: &Node| matches!(node, Node::Line | Node::Sign(";"));
    let length = rest.iter().position(ends).unwrap_or(rest.len());
    rest.get(..length).unwrap_or_default()
}
