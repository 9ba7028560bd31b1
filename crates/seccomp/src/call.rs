//! What a stopped call asks for, read from its number and arguments.

use crate::filter::FCHMODAT2;
use crate::kernel::Notice;
use std::io;

/// The file that a call is about, as its process names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum File {
    /// An open file of the process.
    Descriptor(i32),
    /// The folder the process works in.
    WorkingFolder,
    /// A path, in a folder of the process if it is relative.
    Path {
        /// An open folder of the process; none for the one it works in.
        folder: Option<i32>,
        /// The path's bytes; not empty.
        path: Vec<u8>,
        /// Whether the file a link leads to is meant, and not the link.
        follow: bool,
    },
}

/// A time a file is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// The present.
    Now,
    /// The one it has.
    Kept,
    /// Seconds since 1970, and nanoseconds below one second.
    At(i64, i64),
}

/// A call that changes attributes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// Gives it the lowest twelve bits as its mode.
    Mode(File, u32),
    /// Gives it an owner and a group; none leaves the one it has.
    Owner(File, Option<u32>, Option<u32>),
    /// Gives it the times of its last use and its last change.
    Times(File, Time, Time),
}

const NOFOLLOW: u32 = libc::AT_SYMLINK_NOFOLLOW.unsigned_abs();
const EMPTY_PATH: u32 = libc::AT_EMPTY_PATH.unsigned_abs();
/// The longest path the kernel takes, with the zero at its end.
const LONGEST: usize = 4096;

impl Call {
    /// Reads what a call asks for; what it points to is in the memory of its process, which `memory` reads: some
    /// bytes from an address on, fewer where the memory ends.
    ///
    /// # Errors
    /// As the kernel itself would answer: `EFAULT`, `EINVAL`, `ENOENT`, `ENAMETOOLONG`; `ENOSYS` for other calls.
    pub fn read(
        notice: &Notice,
        memory: &dyn Fn(u64, usize) -> io::Result<Vec<u8>>,
    ) -> io::Result<Self> {
        let [a, b, c, d, e, _] = notice.arguments;
        let path = |folder, address, flags| named(folder, &text(address, memory)?, flags);
        // The upper halves of 32-bit arguments mean nothing.
        let low = |argument: u64| argument as u32;
        let int = |argument: u64| argument as i32;
        let id = |argument: u64| Some(argument as u32).filter(|id| *id != u32::MAX);
        match notice.number {
            libc::SYS_fchmod => Ok(Self::Mode(File::Descriptor(int(a)), low(b))),
            // It has no flags.
            libc::SYS_fchmodat => Ok(Self::Mode(path(int(a), b, 0)?, low(c))),
            FCHMODAT2 => Ok(Self::Mode(path(int(a), b, low(d))?, low(c))),
            libc::SYS_fchown => Ok(Self::Owner(File::Descriptor(int(a)), id(b), id(c))),
            libc::SYS_fchownat => Ok(Self::Owner(path(int(a), b, low(e))?, id(c), id(d))),
            libc::SYS_utimensat => {
                let (used, changed) = specified(c, memory)?;
                let file = if b == 0 {
                    // What `futimens` of the C library asks for.
                    File::Descriptor(int(a))
                } else {
                    path(int(a), b, low(d))?
                };
                Ok(Self::Times(file, used, changed))
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_chmod => Ok(Self::Mode(path(libc::AT_FDCWD, a, 0)?, low(b))),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_chown => Ok(Self::Owner(path(libc::AT_FDCWD, a, 0)?, id(b), id(c))),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_lchown => {
                let file = path(libc::AT_FDCWD, a, NOFOLLOW)?;
                Ok(Self::Owner(file, id(b), id(c)))
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_utime => {
                let (used, changed) = seconds(b, memory)?;
                Ok(Self::Times(path(libc::AT_FDCWD, a, 0)?, used, changed))
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_utimes => {
                let (used, changed) = microseconds(b, memory)?;
                Ok(Self::Times(path(libc::AT_FDCWD, a, 0)?, used, changed))
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_futimesat => {
                let (used, changed) = microseconds(c, memory)?;
                let file = if b == 0 {
                    File::Descriptor(int(a))
                } else {
                    path(int(a), b, 0)?
                };
                Ok(Self::Times(file, used, changed))
            }
            _ => Err(error(libc::ENOSYS)),
        }
    }
}

fn error(number: i32) -> io::Error {
    io::Error::from_raw_os_error(number)
}

fn named(folder: i32, path: &[u8], flags: u32) -> io::Result<File> {
    if flags & !(NOFOLLOW | EMPTY_PATH) != 0 {
        return Err(error(libc::EINVAL));
    }
    let folder = Some(folder).filter(|fd| *fd != libc::AT_FDCWD);
    if path.is_empty() {
        return match folder {
            _ if flags & EMPTY_PATH == 0 => Err(error(libc::ENOENT)),
            Some(descriptor) => Ok(File::Descriptor(descriptor)),
            None => Ok(File::WorkingFolder),
        };
    }
    Ok(File::Path {
        folder,
        path: path.to_owned(),
        follow: flags & NOFOLLOW == 0,
    })
}

/// The text that ends with a zero.
fn text(address: u64, memory: &dyn Fn(u64, usize) -> io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
    let mut bytes = memory(address, LONGEST)?;
    let end = bytes.iter().position(|byte| *byte == 0);
    let end = end.ok_or_else(|| {
        error(if bytes.len() < LONGEST {
            libc::EFAULT
        } else {
            libc::ENAMETOOLONG
        })
    })?;
    bytes.truncate(end);
    Ok(bytes)
}

/// So many numbers of the machine's size; none at the address zero.
fn numbers<const N: usize>(
    address: u64,
    memory: &dyn Fn(u64, usize) -> io::Result<Vec<u8>>,
) -> io::Result<Option<[i64; N]>> {
    if address == 0 {
        return Ok(None);
    }
    let bytes = memory(address, 8 * N)?;
    let (words, _) = bytes.as_chunks::<8>();
    let found: Vec<i64> = words.iter().map(|word| i64::from_ne_bytes(*word)).collect();
    let found = found.try_into().map_err(|_| error(libc::EFAULT))?;
    Ok(Some(found))
}

/// Two `timespec`; the present without any.
fn specified(
    address: u64,
    memory: &dyn Fn(u64, usize) -> io::Result<Vec<u8>>,
) -> io::Result<(Time, Time)> {
    let Some([used, used_part, changed, changed_part]) = numbers::<4>(address, memory)? else {
        return Ok((Time::Now, Time::Now));
    };
    let time = |seconds, part| match part {
        libc::UTIME_NOW => Ok(Time::Now),
        libc::UTIME_OMIT => Ok(Time::Kept),
        0..1_000_000_000 => Ok(Time::At(seconds, part)),
        _ => Err(error(libc::EINVAL)),
    };
    Ok((time(used, used_part)?, time(changed, changed_part)?))
}

/// Two `timeval`.
#[cfg(target_arch = "x86_64")]
fn microseconds(
    address: u64,
    memory: &dyn Fn(u64, usize) -> io::Result<Vec<u8>>,
) -> io::Result<(Time, Time)> {
    let Some([used, used_part, changed, changed_part]) = numbers::<4>(address, memory)? else {
        return Ok((Time::Now, Time::Now));
    };
    let time = |seconds, part| match part {
        0..1_000_000 => Ok(Time::At(seconds, part * 1000)),
        _ => Err(error(libc::EINVAL)),
    };
    Ok((time(used, used_part)?, time(changed, changed_part)?))
}

/// A `utimbuf`.
#[cfg(target_arch = "x86_64")]
fn seconds(
    address: u64,
    memory: &dyn Fn(u64, usize) -> io::Result<Vec<u8>>,
) -> io::Result<(Time, Time)> {
    Ok(match numbers::<2>(address, memory)? {
        None => (Time::Now, Time::Now),
        Some([used, changed]) => (Time::At(used, 0), Time::At(changed, 0)),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// Memory that begins at 1,000.
    fn read(number: i64, arguments: [u64; 6], memory: &[u8]) -> Result<Call, i32> {
        let notice = Notice {
            id: 1,
            thread: 1,
            number,
            arguments,
        };
        let bytes = |address: u64, length: usize| {
            let at = address
                .checked_sub(1000)
                .and_then(|at| usize::try_from(at).ok());
            let found = at.and_then(|at| memory.get(at..));
            let found = found.ok_or_else(|| error(libc::EFAULT))?;
            Ok(found.iter().copied().take(length).collect())
        };
        Call::read(&notice, &bytes).map_err(|e| e.raw_os_error().unwrap())
    }

    fn path(folder: Option<i32>, path: &str, follow: bool) -> File {
        File::Path {
            folder,
            path: path.as_bytes().to_owned(),
            follow,
        }
    }

    const HERE: u64 = libc::AT_FDCWD as u64;

    #[test]
    fn files_are_named_by_paths_folders_and_descriptors() {
        let nofollow = u64::from(NOFOLLOW);
        let empty = u64::from(EMPTY_PATH);
        let a = b"a\0";
        assert_eq!(
            read(libc::SYS_fchmodat, [HERE, 1000, 0o755, 0, 0, 0], a),
            Ok(Call::Mode(path(None, "a", true), 0o755))
        );
        assert_eq!(
            read(libc::SYS_fchownat, [7, 1000, 5, u64::MAX, nofollow, 0], a),
            Ok(Call::Owner(path(Some(7), "a", false), Some(5), None))
        );
        assert_eq!(
            read(FCHMODAT2, [7, 1000, 0o600, empty, 0, 0], b"\0"),
            Ok(Call::Mode(File::Descriptor(7), 0o600))
        );
        assert_eq!(
            read(FCHMODAT2, [HERE, 1000, 0o600, empty, 0, 0], b"\0"),
            Ok(Call::Mode(File::WorkingFolder, 0o600))
        );
        assert_eq!(
            read(libc::SYS_fchmod, [9, 0o644, 0, 0, 0, 0], b""),
            Ok(Call::Mode(File::Descriptor(9), 0o644))
        );
    }

    #[test]
    fn what_the_kernel_would_refuse_is_refused_with_its_word() {
        let long = vec![b'x'; 5000];
        for (arguments, memory, error) in [
            ([HERE, 1000, 0, 0, 0, 0], &b"\0"[..], libc::ENOENT),
            ([HERE, 1000, 0, 0, 0, 0], b"no end", libc::EFAULT),
            ([HERE, 10, 0, 0, 0, 0], b"a\0", libc::EFAULT),
            ([HERE, 1000, 0, 0, 0, 0], &long, libc::ENAMETOOLONG),
            ([HERE, 1000, 0, 0x8000, 0, 0], b"a\0", libc::EINVAL),
        ] {
            assert_eq!(read(FCHMODAT2, arguments, memory), Err(error));
        }
        assert_eq!(read(libc::SYS_getpid, [0; 6], b""), Err(libc::ENOSYS));
    }

    #[test]
    fn times_come_in_three_forms() {
        let words = |words: &[i64]| -> Vec<u8> {
            let text = b"a\0\0\0\0\0\0\0".iter().copied();
            text.chain(words.iter().flat_map(|w| w.to_ne_bytes()))
                .collect()
        };
        let a = || path(None, "a", true);
        let here = |times, flags| [HERE, 1000, times, flags, 0, 0];
        assert_eq!(
            read(libc::SYS_utimensat, here(0, 0), &words(&[])),
            Ok(Call::Times(a(), Time::Now, Time::Now))
        );
        let two = words(&[5, 6, 7, libc::UTIME_OMIT]);
        assert_eq!(
            read(libc::SYS_utimensat, here(1008, 0), &two),
            Ok(Call::Times(a(), Time::At(5, 6), Time::Kept))
        );
        let odd = words(&[5, 1_000_000_000, 7, 0]);
        assert_eq!(
            read(libc::SYS_utimensat, here(1008, 0), &odd),
            Err(libc::EINVAL)
        );
        assert_eq!(
            read(libc::SYS_utimensat, [3, 0, 0, 0, 0, 0], b""),
            Ok(Call::Times(File::Descriptor(3), Time::Now, Time::Now))
        );
        #[cfg(target_arch = "x86_64")]
        {
            let old = read(
                libc::SYS_utimes,
                [1000, 1008, 0, 0, 0, 0],
                &words(&[1, 2, 3, 4]),
            );
            let expected = Call::Times(a(), Time::At(1, 2000), Time::At(3, 4000));
            assert_eq!(old, Ok(expected));
            let oldest = read(libc::SYS_utime, [1000, 1008, 0, 0, 0, 0], &words(&[1, 2]));
            assert_eq!(oldest, Ok(Call::Times(a(), Time::At(1, 0), Time::At(2, 0))));
        }
    }
}
