//! Tokens of known shapes.

use super::*;

#[test]
fn every_pattern_of_the_contract_is_replaced() {
    let redact = |text: &str| loose().redact(text).into_owned();
    assert_eq!(redact("key sk-ant-api03_a-b!"), "key [REDACTED]!");
    assert_eq!(
        redact("github_pat_11AA_x, ghp_abc123."),
        "[REDACTED], [REDACTED]."
    );
    assert_eq!(
        redact("Authorization: Bearer  ab.c-d_e f"),
        "Authorization: [REDACTED] f"
    );
    assert_eq!(redact("ANTHROPIC_API_KEY=xyz/%$ next"), "[REDACTED] next");
    // The contract's order: the key is gone before `Bearer` is looked at.
    assert_eq!(redact("Bearer sk-ant-ab x"), "Bearer [REDACTED] x");
}

#[test]
fn prefixes_alone_and_prose_stay() {
    for text in [
        "sk-ant-",
        "Bearer",
        "Bearertoken",
        "Bearer !",
        "Bearer authentication is used",
        "ANTHROPIC_API_KEY= x",
        "plain",
        "task-0123456789abcdef0123456789abcdef",
        "GITHUB_TOKEN=${{ secrets.GITHUB_TOKEN }}",
        "https://user@example.org/a:b@c",
        "http://localhost:8080/x@y",
        "postgres://app:$PASSWORD@db/x",
        "-----BEGIN CERTIFICATE-----",
    ] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn well_known_tokens_are_replaced() {
    let long = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0";
    for prefix in [
        "gho_",
        "glpat-",
        "sk-proj-",
        "sk-",
        "AKIA",
        "AIza",
        "xoxb-",
        "sk_live_",
        "npm_",
        "pypi-",
        "hf_",
        "SG.",
        "OPENAI_API_KEY=",
    ] {
        let text = format!("a \"{prefix}{long}\" b");
        assert_eq!(clean(&text), "a \"[REDACTED]\" b", "{prefix}");
    }
    for token in [
        "nvapi-Ab0_cD1-eF2gH3iJ4kL5mN6oP7qR8sT9uV0wX1yZ2",
        "vercel_A1b2C3d4E5f6G7h8I9j0K1l2",
        "vercel_blob_rw_AbCdEf0123456789_XyZ",
        "vcp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0A1b2C3d4",
        "vck_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0A1b2C3d4",
        "pul-0123456789abcdef0123456789abcdef01234567",
        "tvly-dev-A1b2C3d4E5f6G7h8I9j0",
        "lsv2_pt_0123456789abcdef0123456789abcdef_0123456789",
        "SK0123456789abcdef0123456789abcdef",
        "sb_secret_A1b2C3d4E5f6G7h8I9j0",
    ] {
        assert_eq!(clean(&format!("a={token};")), "a=[REDACTED];", "{token}");
    }
    let hook =
        "discord.com/api/webhooks/123456789012345678/A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0";
    assert_eq!(clean(&format!("https://{hook} x")), "https://[REDACTED] x");
    for name in [
        "vercel_deployment_environment_variables",
        "key-value-store-with-a-long-name-of-its-own",
        "fc-cache, sk_buff_head_init_of_the_kernel, SKIPPED_BECAUSE_OF_A_FEED",
        "secret_manager_service_account_for_builds_of_all_kinds",
        "fw_cfg_add_file_callback and pul-lover",
        "nvapi-key",
    ] {
        assert_eq!(clean(name), name);
    }
    let taken_back = long.replace('5', "5X\x08");
    assert_eq!(clean(&format!("a ghp_{taken_back} b")), "a [REDACTED] b");
    assert_eq!(
        clean("eyJhbGciOiJIUzI1.eyJzdWIiOiIx.c2ln-X and"),
        "[REDACTED] and"
    );
    assert_eq!(
        clean("git clone https://bot:s3cr3t@example.org/x.git"),
        "git clone https://bot:[REDACTED]@example.org/x.git"
    );
    let key =
        "x\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc+/=\n-----END RSA PRIVATE KEY-----\nafter";
    assert_eq!(clean(key), "x\n[REDACTED]\nafter");
}

#[test]
fn a_token_behind_an_escaped_line_break_begins_a_word() {
    let token = "sk-proj-0123456789abcdefghij";
    for sizes in [[1, 1], [2, 5], [100, 100]] {
        let text = format!(r"one\n{token} two\u0022{token}");
        let seen = String::from_utf8(in_pieces(text.as_bytes(), &sizes)).unwrap();
        assert_eq!(seen, r"one\n[REDACTED] two\u0022[REDACTED]");
    }
}

#[test]
fn tokens_of_todays_services_are_replaced_in_pieces_and_broken_by_colours() {
    let long = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0U1v2W3x4Y5z6A7b8C9d0E1f2";
    let web = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl";
    for token in [
        format!("ghs_1234567_{web}"),
        format!("glpat-{long}.01.0a1b2c3"),
        format!("glrt-{long}"),
        format!("sk-admin-{long}"),
        format!("sk-ant-oat01-{long}-AA"),
        format!("github_pat_11ABCDEFG0{long}"),
        format!("ABSK{long}+/=="),
        format!("AQ.Ab8R{long}"),
        format!("1//0{long}"),
        format!("GOCSPX-{long}"),
        format!("xoxe.xoxp-1-{long}"),
        format!("hooks.slack.com/services/T0123/B4567/{long}"),
        format!("whsec_{long}"),
        format!("dckr_pat_{long}"),
        format!("gsk_{long}"),
        format!("hvs.{long}"),
        format!("AccountKey={long}=="),
        format!("aws_secret_access_key = {long}"),
        format!("x-api-key: {long}"),
        "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==".to_owned(),
    ] {
        let whole = format!("a {token} b");
        assert_eq!(clean(&whole), "a [REDACTED] b", "{token}");
        assert_eq!(clean(&token), REPLACEMENT);
        for sizes in [[1, 1], [3, 7], [16, 5]] {
            let cut = in_pieces(whole.as_bytes(), &sizes);
            assert_eq!(cut, b"a [REDACTED] b", "{token} in pieces");
        }
        let (start, end) = token.split_at(token.len() / 2);
        let coloured = clean(&format!("a {start}\x1b[1m{end} b"));
        assert!(!coloured.contains(end), "{coloured:?}");
    }
    let block = "x\n-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----\nafter";
    assert_eq!(clean(block), "x\n[REDACTED]\nafter");
    for text in [
        "Basic authentication is used",
        "Basic internationalization",
        "basic dW5rbm93bg==",
        "sig=short api-key: none",
        "the AQ. of it",
    ] {
        assert_eq!(clean(text), text);
    }
}
