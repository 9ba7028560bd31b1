//! The machine: privileges, disks, accounts, kernel, firewalls, system packages.
//!
//! None of it belongs to a task; only questions pass.

use crate::commands::Call;
use crate::paths::names_disk;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::walk::Walker;

const PRIVILEGE: &[&str] = &[
    "sudo",
    "doas",
    "su",
    "pkexec",
    "runuser",
    "gosu",
    "su-exec",
    "chroot",
    "unshare",
    "nsenter",
    "setpriv",
    "capsh",
    "newgrp",
    "sg",
    "machinectl",
    "sudoedit",
    "visudo",
    "bwrap",
    "firejail",
    "dzdo",
    "kdesudo",
    "gksudo",
    "gksu",
    "run0",
    "please",
    "sudo-rs",
    "landrun",
    "proot",
    "fakechroot",
    "systemd-nspawn",
    "setcap",
    "chsh",
    "passwd",
    "chpasswd",
    "useradd",
    "usermod",
    "userdel",
    "adduser",
    "deluser",
    "addgroup",
    "groupadd",
    "groupmod",
    "gpasswd",
    "vipw",
    "aa-exec",
    "aa-disable",
    "setenforce",
];

const DISKS: &[&str] = &[
    "fdisk",
    "cfdisk",
    "gdisk",
    "blkdiscard",
    "swapon",
    "swapoff",
    "losetup",
    "cryptsetup",
    "hdparm",
    "mount",
    "umount",
    "fusermount",
    "badblocks",
    "dmsetup",
    "lvremove",
    "vgremove",
    "pvremove",
    "lvcreate",
    "zfs",
    "zpool",
    "btrfs",
    "diskutil",
    "hdiutil",
    "format",
    "nvme",
    "mdadm",
    "partprobe",
    "newfs",
    "ddrescue",
    "dcfldd",
    "debugfs",
    "dc3dd",
    "sg_format",
    "sg_sanitize",
    "sg_write_same",
    "scrub",
    "wipe",
    "cgdisk",
    "fstrim",
    "growpart",
    "kpartx",
    "partx",
    "addpart",
    "delpart",
    "resizepart",
    "pvcreate",
    "pvresize",
    "pvmove",
    "vgcreate",
    "vgchange",
    "vgreduce",
    "vgextend",
    "lvchange",
    "lvextend",
    "lvreduce",
    "lvresize",
    "xfs_growfs",
    "testdisk",
    "photorec",
    "nwipe",
    "multipath",
    "iscsiadm",
];

/// What makes, names or mends a file system, on a disk or in a file.
const FILE_SYSTEMS: &[&str] = &[
    "mke2fs",
    "mkdosfs",
    "mkntfs",
    "mkudffs",
    "mkexfatfs",
    "mkreiserfs",
    "mkswap",
    "e2label",
    "fatlabel",
    "dosfslabel",
    "ntfslabel",
    "exfatlabel",
    "swaplabel",
    "tune2fs",
    "resize2fs",
    "e2fsck",
    "e2image",
    "fsck",
    "xfs_repair",
    "xfs_admin",
    "ntfsfix",
    "ntfsresize",
    "ntfsclone",
    "dosfsck",
    "sfdisk",
    "sgdisk",
    "parted",
    "wipefs",
];

/// A refusal of what works on disks.
pub(super) fn disks(name: &str) -> Refusal {
    Refusal::new(
        rule::DESTROY,
        format!("{name} works on disks, which no task needs; work on files in your worktree"),
    )
}

/// Whether a tool for file systems works on files of the worktree alone: `mkfs.ext4 disk.img`.
fn in_images(w: &mut Walker<'_>, args: &[String], st: &State) -> bool {
    // `LABEL=x` is a disk as well.
    let label = |arg: &str| {
        arg.split_once('=')
            .is_some_and(|(key, _)| key.ends_with("LABEL") || key.ends_with("UUID"))
    };
    args.iter().any(|arg| !arg.starts_with('-'))
        && args.iter().all(|arg| {
            if arg.starts_with('-') {
                !arg.contains('/')
            } else {
                !label(arg) && !names_disk(arg) && w.write_path(arg, st).is_ok()
            }
        })
}

const MACHINE: &[&str] = &[
    "modprobe",
    "insmod",
    "rmmod",
    "sysctl",
    "iptables",
    "ip6tables",
    "nft",
    "ufw",
    "firewall-cmd",
    "update-alternatives",
    "dpkg",
    "rpm",
    "ldconfig",
    "timedatectl",
    "hostnamectl",
    "localectl",
    "hwclock",
    "setxkbmap",
    "kexec",
    "grub-install",
    "update-grub",
    "efibootmgr",
    "defaults",
    "scutil",
    "networksetup",
    "csrutil",
    "spctl",
    "nmcli",
    "tc",
    "update-rc.d",
    "chkconfig",
    "semanage",
    "auditctl",
    "bpftool",
    "bpftrace",
    "nixos-rebuild",
    "darwin-rebuild",
    "home-manager",
];

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    let args = call.args();
    let asks =
        matches!(args, [only] if matches!(only.as_str(), "--version" | "--help" | "-V" | "-h"));
    if PRIVILEGE.contains(&name) {
        return Some(if asks {
            Ok(())
        } else {
            Err(Refusal::new(
                rule::PRIVILEGE,
                format!(
                    "{name} changes who a command runs as; run it as yourself or ask your lead by mail"
                ),
            ))
        });
    }
    let file_system =
        FILE_SYSTEMS.contains(&name) || name.starts_with("mkfs") || name.starts_with("fsck.");
    if file_system && !asks && in_images(w, args, st) {
        return Some(Ok(()));
    }
    if file_system || DISKS.contains(&name) {
        let lists = name == "mount" && args.is_empty()
            || args.iter().any(|arg| arg == "-l" || arg == "--list")
                && !matches!(name, "mount" | "umount");
        return Some(if asks || lists {
            Ok(())
        } else {
            Err(disks(name))
        });
    }
    if MACHINE.contains(&name) {
        let reads = match name {
            "sysctl" => !args
                .iter()
                .any(|arg| arg.contains('=') || arg.starts_with("-w") || arg.starts_with("-p")),
            "dpkg" | "rpm" => args.first().is_some_and(|arg| {
                arg.starts_with("-l")
                    || arg.starts_with("-q")
                    || arg.starts_with("-L")
                    || arg.starts_with("-s")
                    || arg.starts_with("-S")
                    || arg == "--list"
            }),
            "ldconfig" => args.iter().any(|arg| arg == "-p"),
            "update-alternatives" => args
                .iter()
                .any(|arg| matches!(arg.as_str(), "--display" | "--list" | "--query")),
            "defaults" => args.first().is_some_and(|arg| arg == "read"),
            "nixos-rebuild" | "darwin-rebuild" | "home-manager" => builds_system(args),
            "timedatectl" | "hostnamectl" | "localectl" => args
                .first()
                .is_none_or(|arg| arg == "status" || arg == "show"),
            _ => false,
        };
        return Some(if asks || reads {
            Ok(())
        } else {
            Err(machine(name))
        });
    }
    packages(name, args)
}

/// Whether a configuration of the machine is only built or looked at, here.
fn builds_system(args: &[String]) -> bool {
    let elsewhere = |arg: &String| arg.starts_with("--target") || arg.starts_with("--build-host");
    let sub = args.iter().find(|arg| !arg.starts_with('-'));
    let builds = sub.is_some_and(|sub| {
        matches!(
            sub.as_str(),
            "build"
                | "dry-build"
                | "build-vm"
                | "build-vm-with-bootloader"
                | "build-image"
                | "list-generations"
                | "generations"
                | "check"
                | "option"
                | "packages"
                | "news"
        )
    });
    builds && !args.iter().any(elsewhere)
}

fn machine(name: &str) -> Refusal {
    Refusal::new(
        rule::PRIVILEGE,
        format!("{name} changes the machine for everybody; ask your lead by mail"),
    )
}

/// Package managers of the system.
fn packages(name: &str, args: &[String]) -> Option<Judged<()>> {
    let sub = args
        .iter()
        .find(|arg| !arg.starts_with('-'))
        .map_or("", String::as_str);
    let reads = match name {
        "apt" | "apt-get" | "aptitude" | "apt-cache" | "apt-key" | "add-apt-repository" | "dnf"
        | "yum" | "zypper" | "apk" | "brew" | "port" | "snap" | "flatpak" | "emerge"
        | "xbps-install" | "nix-env" | "winget" | "choco" | "scoop" | "pkg" | "pkg_add" => {
            matches!(
                sub,
                "" | "list"
                    | "search"
                    | "show"
                    | "info"
                    | "policy"
                    | "depends"
                    | "rdepends"
                    | "leaves"
                    | "deps"
                    | "--prefix"
                    | "config"
                    | "doctor"
                    | "help"
                    | "madison"
                    | "outdated"
                    | "shellenv"
            ) && !(name == "apk" && sub.is_empty())
        }
        "pacman" | "yay" | "paru" => args.first().is_some_and(|arg| {
            arg.starts_with("-Q") || arg.starts_with("-Ss") || arg.starts_with("-Si")
        }),
        _ => return None,
    };
    Some(if reads { Ok(()) } else { Err(machine(name)) })
}
