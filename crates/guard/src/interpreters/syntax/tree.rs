//! Brackets: a flat run of tokens becomes nested groups.

use super::{Part, Token};

/// Deeper nesting than this is not followed.
const DEEPEST: usize = 120;

/// A token, or everything between two brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::interpreters) enum Node {
    Name(String),
    Number(String),
    Text(Vec<Part>),
    Words(Vec<String>),
    Run(Vec<Part>),
    Pattern(String),
    Sign(&'static str),
    Line,
    Group(char, Vec<Self>),
}

impl Node {
    pub(in crate::interpreters) fn name(&self) -> Option<&String> {
        if let Self::Name(name) = self {
            Some(name)
        } else {
            None
        }
    }

    pub(in crate::interpreters) fn sign(&self) -> Option<&'static str> {
        if let Self::Sign(sign) = self {
            Some(*sign)
        } else {
            None
        }
    }
}

/// Nests tokens by their brackets; `None` when they nest too deep to follow.
pub(in crate::interpreters) fn tree(tokens: Vec<Token>) -> Option<Vec<Node>> {
    let mut open: Vec<(char, Vec<Node>)> = Vec::new();
    let mut nodes: Vec<Node> = Vec::new();
    for token in tokens {
        match token {
            Token::Sign(sign @ ("(" | "[" | "{")) => {
                if open.len() >= DEEPEST {
                    return None;
                }
                let bracket = sign.chars().next().unwrap_or('(');
                open.push((bracket, std::mem::take(&mut nodes)));
            }
            Token::Sign(")" | "]" | "}") => {
                if let Some((bracket, outer)) = open.pop() {
                    let inner = std::mem::replace(&mut nodes, outer);
                    nodes.push(Node::Group(bracket, inner));
                }
            }
            Token::Name(name) => nodes.push(Node::Name(name)),
            Token::Number(number) => nodes.push(Node::Number(number)),
            Token::Text(parts) => nodes.push(Node::Text(parts)),
            Token::Words(words) => nodes.push(Node::Words(words)),
            Token::Run(parts) => nodes.push(Node::Run(parts)),
            Token::Pattern(pattern) => nodes.push(Node::Pattern(pattern)),
            Token::Sign(sign) => nodes.push(Node::Sign(sign)),
            Token::Line => nodes.push(Node::Line),
        }
    }
    // What was never closed still counts.
    while let Some((bracket, outer)) = open.pop() {
        let inner = std::mem::replace(&mut nodes, outer);
        nodes.push(Node::Group(bracket, inner));
    }
    Some(nodes)
}
