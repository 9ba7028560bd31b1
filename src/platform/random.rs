//! Unpredictable identifiers.
//!
//! `RandomState` is seeded by the system once per thread; hashing a counter with fresh
//! states gives as much as identifiers need. Keys come from [`secret`], which asks the system.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

static COUNTER: AtomicU64 = AtomicU64::new(0);

fn word() -> u64 {
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u64(COUNTER.fetch_add(1, Ordering::Relaxed));
    hasher.write_u32(std::process::id());
    hasher.finish()
}

/// `len` characters of `[a-z0-9]`.
pub fn alphanumeric(len: usize) -> String {
    const SET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    (0..len)
        .map(|_| char::from(*SET.get((word() % 36) as usize).unwrap_or(&b'a')))
        .collect()
}

/// `len` lower-case hexadecimal digits.
pub fn hex(len: usize) -> String {
    let digits = "0123456789abcdef".as_bytes();
    (0..len)
        .map(|_| char::from(*digits.get((word() % 16) as usize).unwrap_or(&b'0')))
        .collect()
}

/// A key nobody can guess: 64 hexadecimal digits from the system's own source.
pub fn secret() -> std::io::Result<String> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

/// A random UUID (version 4).
pub fn uuid() -> String {
    let high = (word() & 0xffff_ffff_ffff_0fff) | 0x4000;
    let low = (word() & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_have_their_shape_and_do_not_repeat() {
        let ids: std::collections::HashSet<_> = (0..1000).map(|_| alphanumeric(12)).collect();
        assert_eq!(ids.len(), 1000);
        assert!(ids.iter().all(|i| i.len() == 12));
        assert_eq!(hex(8).len(), 8);
        let u = uuid();
        assert_eq!(u.len(), 36);
        assert_eq!(u.as_bytes()[14], b'4');
        assert!(b"89ab".contains(&u.as_bytes()[19]));
    }
}
