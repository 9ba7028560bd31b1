//! How often code repeats something, and how long it pauses: conditions that never change, counts that are
//! as good as endless, pauses of nothing.

use super::super::super::syntax::Node;

/// More turns than this do not end before the machine does.
const TURNS: f64 = 50_000.0;

/// A shorter time than this is no pause, in seconds.
const PAUSE: f64 = 0.1;

/// Whether a condition has the same value each time.
pub(super) fn is_constant(condition: &[Node]) -> bool {
    condition.iter().all(|node| match node {
        Node::Name(name) => matches!(
            name.to_lowercase().as_str(),
            "true" | "false" | "not" | "nil" | "none" | "null" | "undefined" | "and" | "or"
        ),
        Node::Group(_, inner) => is_constant(inner),
        Node::Run(_) => false,
        Node::Sign(sign) => !matches!(*sign, "$" | "@" | "<" | ">"),
        Node::Number(_) | Node::Text(_) | Node::Words(_) | Node::Pattern(_) | Node::Line => true,
    })
}

/// The nodes before the first one of which this holds.
pub(super) fn until(nodes: &[Node], ends: impl Fn(&Node) -> bool) -> &[Node] {
    let length = nodes.iter().position(ends).unwrap_or(nodes.len());
    nodes.get(..length).unwrap_or_default()
}

/// The statement that ends where these nodes do.
pub(super) fn statement_before(nodes: &[Node]) -> &[Node] {
    let start = nodes
        .iter()
        .rposition(|node| matches!(node, Node::Line | Node::Sign(";")))
        .map_or(0, |at| at + 1);
    nodes.get(start..).unwrap_or_default()
}

/// Whether one of these is a count without an end, or as good as that.
pub(super) fn is_large(nodes: &[Node]) -> bool {
    let value = |node: &Node| match node {
        Node::Number(number) => number.replace('_', "").parse::<f64>().ok(),
        Node::Name(name) => ["infinity", "inf"]
            .contains(&name.to_lowercase().as_str())
            .then_some(f64::INFINITY),
        Node::Sign("~") => Some(f64::INFINITY),
        Node::Group(_, inner) => is_large(inner).then_some(f64::INFINITY),
        Node::Text(_)
        | Node::Words(_)
        | Node::Run(_)
        | Node::Pattern(_)
        | Node::Sign(_)
        | Node::Line => None,
    };
    nodes.iter().enumerate().any(|(at, node)| {
        let Some(number) = value(node) else {
            return false;
        };
        let power = match (nodes.get(at + 1), nodes.get(at + 2).and_then(value)) {
            (Some(Node::Sign("**")), Some(power)) => power,
            _ => 1.0,
        };
        number.powf(power) > TURNS
    })
}

/// Whether these are a range whose end is none, or as good as that.
pub(super) fn is_large_range(nodes: &[Node]) -> bool {
    let dots = |node: &Node| matches!(node, Node::Sign(".." | "..."));
    nodes.iter().position(dots).is_some_and(|at| {
        let end = nodes.get(at + 1..).unwrap_or_default();
        let none = end
            .iter()
            .all(|node| matches!(node, Node::Name(name) if name == "nil"));
        none || is_large(end)
    })
}

/// Whether the number at the end of these is a pause of nothing.
pub(in super::super) fn is_no_pause(nodes: &[Node]) -> bool {
    let digits = |node: &Node| matches!(node, Node::Number(_) | Node::Sign("."));
    let start = nodes
        .iter()
        .rposition(|node| !digits(node))
        .map_or(0, |at| at + 1);
    let number: String = nodes
        .get(start..)
        .unwrap_or_default()
        .iter()
        .map(|node| {
            if let Node::Number(number) = node {
                number.as_str()
            } else {
                "."
            }
        })
        .collect();
    number.parse::<f64>().is_ok_and(|seconds| seconds < PAUSE)
}
