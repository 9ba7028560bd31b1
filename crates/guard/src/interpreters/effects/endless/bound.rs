//! Other names for what starts processes: `f = os.fork`, `import fork as f`, `def g(): os.fork()`.

use super::super::super::syntax::{Family, Node, Part};
use super::counts::until;
use super::loops::{Loops, waits};
use super::words::STARTS;

/// Names that stand for names that stand for something are followed so far.
const STEPS: usize = 3;

/// A program with more functions than this has none followed.
const FUNCTIONS: usize = 200;

impl Loops<'_> {
    /// The names that a program gives to what starts processes.
    pub(super) fn bound(self, source: &str) -> Vec<String> {
        let nodes = self.read(source);
        let mut names: Vec<String> = Vec::new();
        for _ in 0..STEPS {
            let before = names.len();
            let known = names.clone();
            let loops = Loops {
                names: &known,
                ..self
            };
            loops.bound_in(&nodes, &mut names);
            if self.family == Family::Python && source.matches("def ").count() <= FUNCTIONS {
                loops.starting_blocks(source, &mut names);
            }
            names.sort();
            names.dedup();
            if names.len() == before {
                break;
            }
        }
        names
    }

    fn bound_in(self, nodes: &[Node], names: &mut Vec<String>) {
        for (at, node) in nodes.iter().enumerate() {
            match node {
                Node::Group(_, inner) => self.bound_in(inner, names),
                Node::Name(name) => {
                    let rest = nodes.get(at + 1..).unwrap_or_default();
                    if self.is_start(name) {
                        let before = nodes.get(..at).unwrap_or_default();
                        names.extend(self.renamed(before, rest).cloned());
                    } else if name == "getattr" && asks_for_start(rest) {
                        names.push(name.clone());
                        names.extend(assigned(nodes.get(..at).unwrap_or_default()).cloned());
                    } else if let Some((Node::Name(own), behind)) = rest.split_first()
                        && self.defines(name, behind)
                    {
                        names.push(own.clone());
                    }
                }
                Node::Number(_)
                | Node::Text(_)
                | Node::Words(_)
                | Node::Run(_)
                | Node::Pattern(_)
                | Node::Sign(_)
                | Node::Line => {}
            }
        }
    }

    fn is_start(self, name: &str) -> bool {
        STARTS.contains(&name)
            || self.family == Family::Python && name == "Process"
            || self.names.iter().any(|own| own == name)
    }

    /// The name that what stands between these is given.
    fn renamed<'n>(self, before: &'n [Node], rest: &'n [Node]) -> Option<&'n String> {
        match (rest, self.family) {
            ([Node::Name(word), Node::Name(own), ..], Family::Python) if word == "as" => Some(own),
            (
                [Node::Sign(":"), Node::Name(own)]
                | [Node::Sign(":"), Node::Name(own), Node::Sign(","), ..],
                Family::JavaScript,
            ) => Some(own),
            // What it gives back is another thing.
            ([Node::Group('(', _), ..], _) => None,
            _ => assigned(before),
        }
    }

    /// Whether a function whose head begins with this word starts processes and does not wait for them.
    fn defines(self, word: &str, behind: &[Node]) -> bool {
        let body = match (word, self.family) {
            ("function" | "sub", Family::JavaScript | Family::Perl | Family::Php) => {
                let block = behind.iter().find_map(|node| {
                    if let Node::Group('{', inner) = node {
                        Some(inner.as_slice())
                    } else {
                        None
                    }
                });
                block.unwrap_or_default()
            }
            ("const" | "let" | "var", Family::JavaScript) => {
                let line = until(behind, |node| matches!(node, Node::Line | Node::Sign(";")));
                if !line.contains(&Node::Sign("=>")) {
                    return false;
                }
                line
            }
            ("def", Family::Ruby) => until(
                behind,
                |node| matches!(node, Node::Name(word) if word == "end"),
            ),
            _ => return false,
        };
        self.starts(body) && !waits(body)
    }
}

/// The name on the left of an assignment whose right side begins with these.
fn assigned(before: &[Node]) -> Option<&String> {
    let part = |node: &Node| {
        matches!(
            node,
            Node::Name(_) | Node::Sign("." | "::" | "\\" | "&" | "$")
        )
    };
    let at = before.iter().rposition(|node| !part(node))?;
    match (before.get(at), before.get(at.checked_sub(1)?)) {
        (Some(Node::Sign("=")), Some(Node::Name(own))) => Some(own),
        _ => None,
    }
}

/// `getattr(os, 'fork')`.
fn asks_for_start(rest: &[Node]) -> bool {
    let Some(Node::Group('(', inner)) = rest.first() else {
        return false;
    };
    inner.iter().any(|node| {
        let Node::Text(parts) = node else {
            return false;
        };
        matches!(parts.as_slice(), [Part::Text(text)] if STARTS.contains(&text.as_str()))
    })
}
