//! Blocks of Python, which end where their indentation does.

use super::super::super::syntax::Node;
use super::super::used::named;
use super::loops::{Loops, rests, waits};

impl Loops<'_> {
    /// The functions of Python that start processes and do not wait for them.
    pub(super) fn starting_blocks(self, source: &str, names: &mut Vec<String>) {
        let lines: Vec<&str> = source.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let words = line.trim_start();
            if !words.starts_with("def ") && !words.starts_with("async def ") {
                continue;
            }
            let head = self.read(line);
            let Some(Node::Name(name)) = head.iter().find(|node| !is_def(node)) else {
                continue;
            };
            let block = below(&lines, at);
            let body = self.read(&block.join("\n"));
            if (self.starts(&body) || self.starts(&head)) && !waits(&body) {
                names.push(name.clone());
            }
        }
    }

    /// Whether a block of Python below the head of an endless loop, or of a function that calls itself, runs away.
    pub(super) fn endless_block(self, source: &str, left: &mut usize) -> bool {
        let lines: Vec<&str> = source.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let words = line.trim_start();
            let heads = ["while", "for", "def", "async"];
            if !heads.iter().any(|head| words.starts_with(head)) {
                continue;
            }
            let head = self.read(line);
            let block = below(&lines, at);
            let body = self.read(&block.join("\n"));
            let name = head.iter().find(|node| !is_def(node));
            let endless = match (head.first(), name) {
                (Some(first), Some(Node::Name(name))) if is_def(first) => {
                    named(&body, &[name.as_str()])
                }
                (Some(Node::Name(word)), _) => self.repeated(word, &head, 0).is_some(),
                _ => false,
            };
            if !endless {
                continue;
            }
            if *left == 0 {
                return true;
            }
            *left -= 1;
            // What stands deeper may be done by the child, or never.
            let base = block.iter().map(|line| indented(line)).min();
            let turn: Vec<&str> = block
                .iter()
                .filter(|line| Some(indented(line)) == base)
                .copied()
                .collect();
            let turn = self.read(&turn.join("\n"));
            if self.starts(&body) && !waits(&body) && !rests(&turn) {
                return true;
            }
        }
        false
    }
}

/// The lines below one that stand further in than it.
fn below<'a>(lines: &[&'a str], at: usize) -> Vec<&'a str> {
    let depth = lines.get(at).map_or(0, |line| indented(line));
    let inner = |line: &&&str| line.trim().is_empty() || indented(line) > depth;
    let rest = lines.iter().skip(at + 1);
    rest.take_while(inner).copied().collect()
}

fn is_def(node: &Node) -> bool {
    matches!(node, Node::Name(word) if word == "def" || word == "async")
}

fn indented(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
