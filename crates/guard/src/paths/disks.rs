//! Disks and their parts, by their names in the folder of devices.

use crate::shell::text;

/// How the names of disks begin.
const BEGIN: &[&str] = &[
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "dm-", "mapper/", "loop", "disk", "rdisk", "md",
    "nbd", "block/", "bcache", "drbd", "rbd", "zd", "zram", "ram", "pmem", "mtd", "ubi", "dasd",
    "sg", "sr", "root",
];

/// Whether a word names a disk, also behind an option or a key: `/dev/sda1`, `of=/dev/../dev/nvme0n1`.
pub(crate) fn names_disk(word: &str) -> bool {
    if !word.contains("/dev") && !word.contains("dev/") {
        return false;
    }
    let Some(start) = word.find('/') else {
        return false;
    };
    // What stands before it is an option or a key, and no folder.
    let before = word.get(..start).unwrap_or_default();
    let letter = before.len() == 2 && before.starts_with('-');
    if !before.is_empty() && !before.ends_with(['=', ':']) && !letter {
        return false;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in word.get(start..).unwrap_or_default().split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let Some((&"dev", rest)) = parts.split_first() else {
        return false;
    };
    let name = rest.join("/");
    text::is_any(&name) || BEGIN.iter().any(|begin| name.starts_with(begin))
}
