//! Finding secrets, whole and in pieces, and leaving everything else alone.

mod keys;
mod streams;
mod tokens;
mod values;

use super::*;
use std::sync::Arc;

/// What a secret of the environment looks like in these tests.
const VALUE: &str = "q7#Zr!0x-Wv|9 kTp2";

fn redactor() -> Arc<Redactor> {
    Arc::new(Redactor::new(&secret_values([("DEPLOY_TOKEN", VALUE)])))
}

fn loose() -> Arc<Redactor> {
    Arc::new(Redactor::new(&[]).loose())
}

fn clean(text: &str) -> String {
    redactor().redact(text).into_owned()
}

/// The bytes in pieces of these sizes, over and over.
fn in_pieces(bytes: &[u8], sizes: &[usize]) -> Vec<u8> {
    let mut stream = RedactingStream::new(redactor());
    let (mut out, mut at, mut n) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        let size = sizes[n % sizes.len()].max(1);
        let end = (at + size).min(bytes.len());
        stream.push(&bytes[at..end], &mut out);
        (at, n) = (end, n + 1);
    }
    stream.finish(&mut out);
    out
}
