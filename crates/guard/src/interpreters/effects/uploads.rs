//! Files that code sends to other machines, and logins there, by libraries that do nothing else.

use super::super::reading::{Call, Found, Source, Value};
use super::Run;
use super::sent::SENDS;
use crate::policy::{Judged, Refusal, rule};

struct Client {
    /// The modules it comes in.
    modules: &'static [&'static str],
    /// What sends something, or logs in.
    sends: &'static [&'static str],
}

const CLIENTS: &[Client] = &[
    Client {
        modules: &[
            "boto3",
            "botocore",
            "aioboto3",
            "aws-sdk",
            "@aws-sdk",
            "aws-sdk-s3",
            "minio",
            "oss2",
        ],
        sends: &[
            "upload_file",
            "upload_fileobj",
            "put_object",
            "fput_object",
            "putObject",
            "fPutObject",
            "upload",
            "PutObjectCommand",
            "Upload",
            "UploadPartCommand",
            "put_object_from_file",
        ],
    },
    Client {
        modules: &[
            "google",
            "@google-cloud",
            "azure",
            "@azure",
            "b2sdk",
            "dropbox",
        ],
        sends: &[
            "upload_from_filename",
            "upload_from_file",
            "upload_from_string",
            "upload_blob",
            "upload",
            "uploadFile",
            "uploadData",
            "upload_local_file",
            "files_upload",
        ],
    },
    Client {
        modules: &["ftplib", "ftputil", "basic-ftp", "ftp", "pysftp"],
        sends: &[
            "storbinary",
            "storlines",
            "upload",
            "uploadFrom",
            "uploadFromDir",
            "put",
            "Connection",
        ],
    },
    Client {
        modules: &[
            "paramiko",
            "asyncssh",
            "fabric",
            "ssh2",
            "ssh2-sftp-client",
            "node-ssh",
            "net/ssh",
            "net/scp",
            "net/sftp",
        ],
        sends: &[
            "connect",
            "put",
            "fastPut",
            "putFile",
            "from_transport",
            "Connection",
            "start",
            "upload!",
        ],
    },
    Client {
        modules: &["smtplib", "aiosmtplib", "nodemailer", "net/smtp"],
        sends: &["sendmail", "send_message", "sendMail", "start"],
    },
];

/// Functions that give what is in a file.
const READS: &[&str] = &[
    "open",
    "readFileSync",
    "readFile",
    "createReadStream",
    "read_bytes",
    "read_text",
    "openAsBlob",
    "file",
];

/// Refuses a program that sends files elsewhere; one that names this machine is taken to talk to it.
pub(super) fn refuse(run: &Run<'_>) -> Judged<()> {
    let reading = run.reading;
    let here = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"];
    if reading
        .texts
        .iter()
        .any(|text| here.iter().any(|host| text.contains(host)))
    {
        return Ok(());
    }
    let brings = |module: &&str| {
        reading.imports.contains(*module)
            || reading.texts.iter().any(|text| text.as_ref() == *module)
    };
    let sends = CLIENTS.iter().any(|client| {
        client.modules.iter().any(brings) && client.sends.iter().any(|name| run.uses(name))
    });
    let posts = |found: &Found| matches!(found, Found::Call(made) if carries_file(made, run));
    if sends || reading.found.iter().any(posts) {
        return Err(Refusal::new(
            rule::NETWORK,
            "files and messages are not sent to other machines; send them to a server on localhost, or leave it to the merge queue",
        ));
    }
    Ok(())
}

/// Whether a request to another machine has a file for its body.
fn carries_file(made: &Call, run: &Run<'_>) -> bool {
    let address = made
        .args
        .iter()
        .filter_map(Value::as_text)
        .any(|text| text.contains("://"));
    if !address || !SENDS.contains(&made.name.as_str()) {
        return false;
    }
    let options = made.args.iter().flat_map(|arg| {
        let pairs: &[(String, Value)] = if let Value::Map(pairs) = arg {
            pairs
        } else {
            &[]
        };
        pairs
    });
    // What a function makes of a value is no file.
    let reads = READS.iter().any(|name| run.uses(name)) && !run.uses("dumps");
    made.keys
        .iter()
        .chain(options)
        .any(|(key, value)| match key.as_str() {
            "files" => reads,
            "data" | "body" | "content" => reads && value.source() == Source::Content,
            _ => false,
        })
}
