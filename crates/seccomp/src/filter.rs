//! The filter as a program of the kernel's packet filter: which calls are stopped, which are refused
//! at once, and that all others go on.
//!
//! A process can also make calls by the numbers of 32-bit programs; these are refused what the filter stops, since
//! hardly any program is one.

use libc::{
    BPF_ABS, BPF_ALU, BPF_AND, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W,
    SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO, SECCOMP_RET_USER_NOTIF, c_int, c_long, sock_filter,
};

/// The kernel's name of the machine's own set of calls (`linux/audit.h`); none where this was not written for it.
pub(crate) const NATIVE: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0xC000_003E)
} else if cfg!(target_arch = "aarch64") {
    Some(0xC000_00B7)
} else {
    None
};

/// Calls of the x32 kind have this bit, on `x86_64` only.
const X32: u32 = 0x4000_0000;

// Younger than some C libraries; the same number everywhere.
pub(crate) const FCHMODAT2: c_long = 452;
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;
const FILE_SETATTR: c_long = 469;

/// Calls that are stopped until the supervisor has answered.
pub(crate) const ASKED: &[c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
];

/// Where programs may connect to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connections {
    /// Wherever they like.
    Open,
    /// By TCP and UDP only, so that whoever has rules about the ports of TCP is asked about every connection that is
    /// one: other protocols, such as MPTCP, carry the same streams and ask nobody.
    Ports,
}

/// Who answers for the calls of [`ASKED`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asking {
    Supervisor,
    /// They go on.
    Nobody,
}

/// Calls that fail with this error. Extended attributes look like those of a file system that has none, which
/// programs that copy files know; the kernel's keyring is one for all of a user's sessions.
const REFUSED: &[(c_long, c_int)] = &[
    (libc::SYS_setxattr, libc::EOPNOTSUPP),
    (libc::SYS_lsetxattr, libc::EOPNOTSUPP),
    (libc::SYS_fsetxattr, libc::EOPNOTSUPP),
    (SETXATTRAT, libc::EOPNOTSUPP),
    (libc::SYS_removexattr, libc::EOPNOTSUPP),
    (libc::SYS_lremovexattr, libc::EOPNOTSUPP),
    (libc::SYS_fremovexattr, libc::EOPNOTSUPP),
    (REMOVEXATTRAT, libc::EOPNOTSUPP),
    (FILE_SETATTR, libc::EOPNOTSUPP),
    (libc::SYS_add_key, libc::ENOSYS),
    (libc::SYS_request_key, libc::ENOSYS),
    (libc::SYS_keyctl, libc::ENOSYS),
    // Takes an open file of another process, such as a hook's way to its host; nothing that is built needs it.
    (libc::SYS_pidfd_getfd, libc::EPERM),
    // Who has a user namespace may prepare a mount, which Landlock then refuses; but in preparing one, overlayfs empties
    // and removes the folder `work` of whatever place it is told, and no rule about files is asked.
    (libc::SYS_fsopen, libc::EPERM),
    (libc::SYS_fsconfig, libc::EPERM),
    (libc::SYS_fsmount, libc::EPERM),
    (libc::SYS_fspick, libc::EPERM),
    // Makes calls that no filter sees. Containers refuse it too, so programs know how to do without.
    (libc::SYS_io_uring_setup, libc::EPERM),
];

/// Families of sockets that lead to no other machine, or whose connections others judge.
const LOCAL: &[c_int] = &[libc::AF_UNIX, libc::AF_NETLINK];
const INTERNET: &[c_int] = &[libc::AF_INET, libc::AF_INET6];
/// Protocols of these: the usual one of a socket's kind, and all of which TCP is the only one with connections.
const PROTOCOLS: &[c_int] = &[
    0,
    libc::IPPROTO_TCP,
    libc::IPPROTO_UDP,
    libc::IPPROTO_ICMP,
    libc::IPPROTO_ICMPV6,
];

/// Commands of `ioctl` that file systems know, by the byte that says whose they are; of these only those that are listed
/// pass. The others change attributes, make, copy and remove whole subvolumes, or encrypt and freeze, on files and folders that
/// need not be opened for writing.
const FILE_SYSTEMS: &[(u8, &[u32])] = &[
    // All of them: reading flags, extents. `FS_IOC_SETFLAGS`, encryption and verity are others.
    (b'f', &[0x8008_6601, 0x8004_6601, 0xC020_660B]),
    // XFS, and what all have from it: `FS_IOC_FSGETXATTR`.
    (b'X', &[0x801C_581F]),
    // FAT: reading a folder with both names, and attributes.
    (b'r', &[0x8004_7210, 0x8210_7201, 0x8210_7202]),
    // btrfs: clones and equal stretches between files, which ask for a file that is open for writing, and questions.
    (
        0x94,
        &[
            0x4004_9409, // FICLONE
            0x4020_940D, // FICLONERANGE
            0xC018_9436, // FIDEDUPERANGE
            0xD000_9412, // INO_LOOKUP
            0x8008_9419, // SUBVOL_GETFLAGS
            0x8400_941F, // FS_INFO
            0x81F8_943C, // GET_SUBVOL_INFO
            0xD000_943D, // GET_SUBVOL_ROOTREF
            0xD000_943E, // INO_LOOKUP_USER
        ],
    ),
    // bcachefs and F2FS.
    (0xBC, &[]),
    (0xF5, &[]),
];

/// The same and those of [`ASKED`], by their numbers in 32-bit programs on `x86_64`, where these are known
/// (`arch/x86/entry/syscalls/syscall_32.tbl`).
const OF_32_BITS: &[u32] = &[
    15, 94, 306, 452, // chmod, fchmod, fchmodat, fchmodat2
    16, 95, 182, 198, 207, 212, 298, // lchown, fchown, chown, and their 32-bit ids, fchownat
    30, 271, 299, 320, 412, // utime, utimes, futimesat, utimensat with its two kinds of time
    226, 227, 228, 235, 236, 237, 463, 466, 469, // extended attributes
    286, 287, 288, 340, 438, // keys, prlimit64, pidfd_getfd
    430, 431, 432, 433, 425, // preparing mounts, io_uring_setup
];
/// All ways to a socket.
const SOCKETS_OF_32_BITS: &[u32] = &[102, 359]; // socketcall, socket

const IOCTL_OF_32_BITS: u32 = 54;

// Where a call's parts stand (`struct seccomp_data`).
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const fn argument(index: u32) -> u32 {
    16 + 8 * index
}

const fn refuse(error: c_int) -> u32 {
    SECCOMP_RET_ERRNO | error.unsigned_abs()
}

/// The filter for this machine; none where it is not known.
pub(crate) fn program(asking: Asking, connections: Connections) -> Option<Vec<sock_filter>> {
    let native = NATIVE?;
    let by_ports = connections == Connections::Ports;
    let mut foreign = Program::default();
    if cfg!(target_arch = "x86_64") {
        foreign.load(NUMBER);
        let sockets = SOCKETS_OF_32_BITS.iter().filter(|_| by_ports);
        for number in OF_32_BITS.iter().chain(sockets) {
            foreign.answer_if(*number, refuse(libc::EPERM));
        }
        foreign.only_for(IOCTL_OF_32_BITS, commands());
        foreign.give(SECCOMP_RET_ALLOW);
    } else {
        foreign.give(refuse(libc::ENOSYS));
    }
    let mut program = Program::default();
    program.load(ARCHITECTURE);
    program.jump(BPF_JEQ, native, foreign.0.len(), 0);
    program.0.extend(foreign.0);
    program.load(NUMBER);
    if cfg!(target_arch = "x86_64") {
        program.jump(BPF_JGE, X32, 0, 1);
        program.give(refuse(libc::ENOSYS));
    }
    match asking {
        Asking::Supervisor => {
            for call in ASKED {
                program.answer_if(number(*call), SECCOMP_RET_USER_NOTIF);
            }
        }
        Asking::Nobody => {}
    }
    for (call, error) in REFUSED {
        program.answer_if(number(*call), refuse(*error));
    }
    // Limits of this process itself may be set; those of others would end or cripple them.
    let mut limits = Program::default();
    limits.load(argument(0));
    limits.answer_if(0, SECCOMP_RET_ALLOW);
    for half in [0, 4] {
        limits.load(argument(2) + half);
        limits.jump(BPF_JEQ, 0, 1, 0);
        limits.give(refuse(libc::EPERM));
    }
    limits.give(SECCOMP_RET_ALLOW);
    program.only_for(number(libc::SYS_prlimit64), limits);
    program.only_for(number(libc::SYS_ioctl), commands());
    if by_ports {
        program.only_for(number(libc::SYS_socket), sockets());
        // Sending may connect, and that asks nobody either.
        for (call, flags) in [
            (libc::SYS_sendto, 3),
            (libc::SYS_sendmsg, 2),
            (libc::SYS_sendmmsg, 3),
        ] {
            let mut sending = Program::default();
            sending.load(argument(flags));
            let fast_open = libc::MSG_FASTOPEN.unsigned_abs();
            sending.add(BPF_ALU | BPF_AND | BPF_K, fast_open, 0, 0);
            sending.answer_if(fast_open, refuse(libc::EOPNOTSUPP));
            sending.give(SECCOMP_RET_ALLOW);
            program.only_for(number(call), sending);
        }
    }
    program.give(SECCOMP_RET_ALLOW);
    Some(program.0)
}

/// What is said to new sockets where connections are judged by ports.
fn sockets() -> Program {
    let mut protocols = Program::default();
    protocols.load(argument(2));
    for protocol in PROTOCOLS {
        protocols.answer_if(protocol.unsigned_abs(), SECCOMP_RET_ALLOW);
    }
    protocols.give(refuse(libc::EPROTONOSUPPORT));
    let mut program = Program::default();
    program.load(argument(0));
    for family in LOCAL {
        program.answer_if(family.unsigned_abs(), SECCOMP_RET_ALLOW);
    }
    for (index, family) in INTERNET.iter().enumerate() {
        program.jump(BPF_JEQ, family.unsigned_abs(), INTERNET.len() - index, 0);
    }
    program.give(refuse(libc::EAFNOSUPPORT));
    program.0.extend(protocols.0);
    program
}

/// What is said to commands of `ioctl`.
fn commands() -> Program {
    let mut program = Program::default();
    program.load(argument(1));
    for command in FILE_SYSTEMS.iter().flat_map(|(_, known)| *known) {
        program.answer_if(*command, SECCOMP_RET_ALLOW);
    }
    // Whose it is stands in the second byte, whatever it takes and gives.
    program.add(BPF_ALU | BPF_AND | BPF_K, 0xFF00, 0, 0);
    for (whose, _) in FILE_SYSTEMS {
        program.answer_if(u32::from(*whose) << 8, refuse(libc::ENOTTY));
    }
    program.give(SECCOMP_RET_ALLOW);
    program
}

/// Numbers of calls are small and positive.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "below 1,000"
)]
const fn number(call: c_long) -> u32 {
    call as u32
}

#[derive(Default)]
struct Program(Vec<sock_filter>);

impl Program {
    fn add(&mut self, code: u32, k: u32, jt: usize, jf: usize) {
        // The parts are written here and far shorter than the 255 instructions that a jump can pass.
        let distance = |n: usize| u8::try_from(n).unwrap_or(u8::MAX);
        self.0.push(sock_filter {
            code: u16::try_from(code).unwrap_or(u16::MAX),
            jt: distance(jt),
            jf: distance(jf),
            k,
        });
    }

    fn load(&mut self, offset: u32) {
        self.add(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
    }

    fn give(&mut self, answer: u32) {
        self.add(BPF_RET | BPF_K, answer, 0, 0);
    }

    /// Passes so many instructions if the comparison holds, and so many if not.
    fn jump(&mut self, comparison: u32, k: u32, if_true: usize, if_false: usize) {
        self.add(BPF_JMP | comparison | BPF_K, k, if_true, if_false);
    }

    fn answer_if(&mut self, value: u32, answer: u32) {
        self.jump(BPF_JEQ, value, 0, 1);
        self.give(answer);
    }

    /// Runs a part of its own, which ends with an answer, for one call.
    fn only_for(&mut self, call: u32, part: Program) {
        self.jump(BPF_JEQ, call, 0, part.0.len());
        self.0.extend(part.0);
    }
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]
mod tests {
    use super::*;

    /// What the filter answers to a call.
    fn answer(architecture: u32, number: u32, arguments: [u64; 6]) -> u32 {
        answer_of(Connections::Open, architecture, number, arguments)
    }

    fn answer_of(
        connections: Connections,
        architecture: u32,
        number: u32,
        arguments: [u64; 6],
    ) -> u32 {
        answer_by(
            &program(Asking::Supervisor, connections).unwrap(),
            architecture,
            number,
            arguments,
        )
    }

    fn answer_by(
        program: &[sock_filter],
        architecture: u32,
        number: u32,
        arguments: [u64; 6],
    ) -> u32 {
        let mut data = vec![number, architecture, 0, 0];
        data.extend(
            arguments
                .iter()
                .flat_map(|a| [*a as u32, (*a >> 32) as u32]),
        );
        let (mut at, mut loaded) = (0, 0);
        loop {
            let step = program[at];
            at += 1;
            let code = u32::from(step.code);
            let holds = if code == BPF_LD | BPF_W | BPF_ABS {
                loaded = data[step.k as usize / 4];
                continue;
            } else if code == BPF_ALU | BPF_AND | BPF_K {
                loaded &= step.k;
                continue;
            } else if code == BPF_RET | BPF_K {
                return step.k;
            } else if code == BPF_JMP | BPF_JEQ | BPF_K {
                loaded == step.k
            } else if code == BPF_JMP | BPF_JGE | BPF_K {
                loaded >= step.k
            } else {
                panic!("no such instruction: {code}");
            };
            at += usize::from(if holds { step.jt } else { step.jf });
        }
    }

    fn native(call: c_long, arguments: [u64; 6]) -> u32 {
        answer(NATIVE.unwrap(), number(call), arguments)
    }

    #[test]
    fn every_number_gets_the_answer_of_its_list_and_all_others_go_on() {
        for call in 0..600 {
            let refused = REFUSED.iter().find(|(listed, _)| *listed == call);
            let expected = match refused {
                Some((_, error)) => refuse(*error),
                None if ASKED.contains(&call) => SECCOMP_RET_USER_NOTIF,
                None => SECCOMP_RET_ALLOW,
            };
            assert_eq!(native(call, [0; 6]), expected, "{call}");
        }
    }

    #[test]
    fn where_nobody_can_be_asked_the_same_is_refused_and_the_rest_goes_on() {
        let alone = program(Asking::Nobody, Connections::Open).unwrap();
        for call in 0..600 {
            let refused = REFUSED.iter().find(|(listed, _)| *listed == call);
            let expected = refused.map_or(SECCOMP_RET_ALLOW, |(_, error)| refuse(*error));
            let answer = answer_by(&alone, NATIVE.unwrap(), number(call), [0; 6]);
            assert_eq!(answer, expected, "{call}");
        }
    }

    #[test]
    fn limits_are_set_for_oneself_only_and_read_of_all() {
        let limits = |pid, new| native(libc::SYS_prlimit64, [pid, 2, new, 0, 0, 0]);
        let refused = refuse(libc::EPERM);
        assert_eq!(limits(0, 0x7f00_0000_1000), SECCOMP_RET_ALLOW);
        assert_eq!(limits(77, 0), SECCOMP_RET_ALLOW);
        assert_eq!(limits(77, 0x1000), refused);
        assert_eq!(limits(77, 0x1_0000_0000), refused);
        // The kernel looks at the lower half only.
        assert_eq!(limits(0x1_0000_0000, 0x1000), SECCOMP_RET_ALLOW);
    }

    #[test]
    fn file_systems_are_asked_and_files_cloned_and_nothing_else() {
        let native = |command| native(libc::SYS_ioctl, [3, command, 0, 0, 0, 0]);
        for command in [
            0x4008_6602,           // FS_IOC_SETFLAGS
            0xffff_ffff_4008_6602, // the kernel looks at the lower half only
            0x401C_5820,           // FS_IOC_FSSETXATTR
            0x800C_6613,           // FS_IOC_SET_ENCRYPTION_POLICY
            0x4080_6685,           // FS_IOC_ENABLE_VERITY
            0x5000_940E,           // BTRFS_IOC_SUBVOL_CREATE
            0x5000_9417,           // BTRFS_IOC_SNAP_CREATE_V2
            0x5000_940F,           // BTRFS_IOC_SNAP_DESTROY
            0x4008_941A,           // BTRFS_IOC_SUBVOL_SETFLAGS
            0x4004_7211,           // FAT_IOCTL_SET_ATTRIBUTES
        ] {
            assert_eq!(native(command), refuse(libc::ENOTTY), "{command:x}");
        }
        // A terminal's size, what can be read, close on exec, reading flags, a clone.
        for command in [0x5413, 0x541B, 0x5451, 0x8008_6601, 0x4004_9409] {
            assert_eq!(native(command), SECCOMP_RET_ALLOW, "{command:x}");
        }
    }

    #[test]
    fn where_ports_are_judged_no_other_protocol_connects() {
        let by_ports = |call, arguments| {
            answer_of(Connections::Ports, NATIVE.unwrap(), number(call), arguments)
        };
        let socket = |family: c_int, protocol: c_int| {
            let arguments = [family as u64, 1, protocol as u64, 0, 0, 0];
            let open = native(libc::SYS_socket, arguments);
            assert_eq!(open, SECCOMP_RET_ALLOW);
            by_ports(libc::SYS_socket, arguments)
        };
        for family in INTERNET {
            for protocol in PROTOCOLS {
                assert_eq!(socket(*family, *protocol), SECCOMP_RET_ALLOW);
            }
            for protocol in [libc::IPPROTO_MPTCP, libc::IPPROTO_SCTP, libc::IPPROTO_DCCP] {
                assert_eq!(socket(*family, protocol), refuse(libc::EPROTONOSUPPORT));
            }
        }
        for family in LOCAL {
            assert_eq!(socket(*family, 15), SECCOMP_RET_ALLOW);
        }
        for family in [libc::AF_VSOCK, 43, libc::AF_RDS, libc::AF_TIPC, 0] {
            assert_eq!(socket(family, 0), refuse(libc::EAFNOSUPPORT), "{family}");
        }
        for (call, index) in [
            (libc::SYS_sendto, 3),
            (libc::SYS_sendmsg, 2),
            (libc::SYS_sendmmsg, 3),
        ] {
            let mut arguments = [0; 6];
            arguments[index] = 0x4000;
            assert_eq!(by_ports(call, arguments), SECCOMP_RET_ALLOW);
            arguments[index] = 0x2000_4000;
            assert_eq!(by_ports(call, arguments), refuse(libc::EOPNOTSUPP));
            assert_eq!(native(call, arguments), SECCOMP_RET_ALLOW);
        }
        assert_eq!(by_ports(libc::SYS_connect, [0; 6]), SECCOMP_RET_ALLOW);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn other_sets_of_calls_are_no_way_round() {
        const I386: u32 = 0x4000_0003;
        assert_eq!(answer(I386, 15, [0; 6]), refuse(libc::EPERM));
        assert_eq!(answer(I386, 4, [0; 6]), SECCOMP_RET_ALLOW);
        let flags = [3, 0x4004_6602, 0, 0, 0, 0];
        assert_eq!(answer(I386, 54, flags), refuse(libc::ENOTTY));
        assert_eq!(answer(I386, 54, [1, 0x5413, 0, 0, 0, 0]), SECCOMP_RET_ALLOW);
        let x32 = answer(NATIVE.unwrap(), X32 | number(libc::SYS_chmod), [0; 6]);
        assert_eq!(x32, refuse(libc::ENOSYS));
        for number in [102, 359] {
            assert_eq!(answer(I386, number, [0; 6]), SECCOMP_RET_ALLOW);
            let by_ports = answer_of(Connections::Ports, I386, number, [0; 6]);
            assert_eq!(by_ports, refuse(libc::EPERM));
        }
    }
}
