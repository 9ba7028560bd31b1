//! The tokens that are known by how they begin.
//!
//! The first five are the contract's (`sk-ant-…`, `github_pat_…`, `Bearer …`, `ghp_…`,
//! `ANTHROPIC_API_KEY=…`) and match wherever they stand. The others must begin a word and have a
//! least length, so that names and prose are left alone.

use super::shapes::{Begin, Form, Shape};

const fn dashed(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-'
}
const fn worded(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}
const fn plain(b: u8) -> bool {
    b.is_ascii_alphanumeric()
}
pub(super) const fn dotted(b: u8) -> bool {
    dashed(b) || b == b'.'
}
pub(super) const fn printed(b: u8) -> bool {
    b > 0x20 && b != 0x7f
}
/// The alphabets of base64.
pub(super) const fn encoded(b: u8) -> bool {
    dashed(b) || matches!(b, b'+' | b'/' | b'=')
}
const fn signed(b: u8) -> bool {
    encoded(b) || b == b'%'
}
const fn hex(b: u8) -> bool {
    b.is_ascii_hexdigit()
}
/// An id and a secret behind it, with a slash or a colon between.
const fn parted(b: u8) -> bool {
    dotted(b) || matches!(b, b'/' | b':')
}
const fn pathed(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'/'
}
/// What a value after `NAME=` is made of; quotes and ends of JSON are not part of it.
const fn valued(b: u8) -> bool {
    printed(b) && !matches!(b, b'"' | b'\'' | b'`' | b'\\' | b',' | b')' | b'}' | b';')
}

const fn shape(
    kind: &'static str,
    prefix: &'static str,
    least: usize,
    is_body: fn(u8) -> bool,
) -> Shape {
    Shape {
        kind,
        prefix: prefix.as_bytes(),
        form: Form::Body(least),
        is_body,
        begins: Begin::Word,
    }
}

const fn contract(kind: &'static str, prefix: &'static str, is_body: fn(u8) -> bool) -> Shape {
    Shape {
        begins: Begin::Anywhere,
        ..shape(kind, prefix, 1, is_body)
    }
}

pub(super) const SHAPES: &[Shape] = &[
    contract("Anthropic key", "sk-ant-", dashed),
    contract("GitHub token", "github_pat_", worded),
    Shape {
        form: Form::Bearer,
        ..contract("bearer token", "Bearer", dotted)
    },
    contract("GitHub token", "ghp_", plain),
    contract("Anthropic key", "ANTHROPIC_API_KEY=", printed),
    shape("GitHub token", "gho_", 20, plain),
    // These may hold a web token.
    shape("GitHub token", "ghu_", 20, dotted),
    shape("GitHub token", "ghs_", 20, dotted),
    shape("GitHub token", "ghr_", 20, dotted),
    shape("GitLab token", "glpat-", 20, dotted),
    shape("GitLab token", "gldt-", 20, dotted),
    shape("GitLab token", "glrt-", 20, dotted),
    shape("GitLab token", "glrtr-", 20, dotted),
    shape("GitLab token", "glcbt-", 16, dotted),
    shape("GitLab token", "glptt-", 20, dotted),
    shape("GitLab token", "glft-", 20, dotted),
    shape("GitLab token", "glimt-", 20, dotted),
    shape("GitLab token", "glagent-", 20, dotted),
    shape("GitLab token", "gloas-", 20, dotted),
    shape("GitLab token", "glsoat-", 20, dotted),
    shape("OpenAI key", "sk-proj-", 20, dashed),
    shape("OpenAI key", "sk-svcacct-", 20, dashed),
    shape("OpenAI key", "sk-admin-", 20, dashed),
    shape("OpenRouter key", "sk-or-v1-", 20, plain),
    shape("OpenAI key", "sk-", 32, plain),
    shape("AWS key id", "AKIA", 16, plain),
    shape("AWS key id", "ASIA", 16, plain),
    shape("AWS key", "ABSK", 60, encoded),
    shape("Google key", "AIza", 35, dashed),
    shape("Google key", "AQ.", 40, dashed),
    shape("Google token", "ya29.", 20, dotted),
    shape("Google token", "1//0", 40, dashed),
    shape("Google client secret", "GOCSPX-", 20, dashed),
    shape("Slack token", "xoxb-", 10, dashed),
    shape("Slack token", "xoxp-", 10, dashed),
    shape("Slack token", "xoxa-", 10, dashed),
    shape("Slack token", "xoxr-", 10, dashed),
    shape("Slack token", "xoxs-", 10, dashed),
    shape("Slack token", "xoxc-", 10, dashed),
    shape("Slack token", "xoxe-", 10, dashed),
    shape("Slack token", "xoxe.", 16, dotted),
    shape("Slack token", "xapp-", 10, dashed),
    shape("Slack webhook", "hooks.slack.com/services/", 30, pathed),
    shape("Stripe key", "sk_live_", 16, plain),
    shape("Stripe key", "rk_live_", 16, plain),
    shape("Stripe key", "sk_test_", 16, plain),
    shape("Stripe key", "rk_test_", 16, plain),
    shape("Stripe secret", "whsec_", 24, encoded),
    shape("npm token", "npm_", 36, plain),
    shape("PyPI token", "pypi-", 32, dashed),
    shape("RubyGems key", "rubygems_", 32, plain),
    shape("Docker token", "dckr_pat_", 20, dashed),
    shape("Docker token", "dckr_oat_", 20, dashed),
    shape("Hugging Face token", "hf_", 30, plain),
    shape("Hugging Face token", "api_org_", 30, plain),
    shape("DigitalOcean token", "dop_v1_", 32, plain),
    shape("DigitalOcean token", "doo_v1_", 32, plain),
    shape("DigitalOcean token", "dor_v1_", 32, plain),
    shape("SendGrid key", "SG.", 40, dotted),
    shape("Shopify token", "shpat_", 20, plain),
    shape("Shopify token", "shpss_", 20, plain),
    shape("Groq key", "gsk_", 40, plain),
    shape("xAI key", "xai-", 40, plain),
    shape("Perplexity key", "pplx-", 40, plain),
    shape("Replicate token", "r8_", 32, plain),
    shape("Databricks token", "dapi", 32, plain),
    shape("Vault token", "hvs.", 24, dashed),
    shape("Vault token", "hvb.", 24, dashed),
    shape("Grafana token", "glsa_", 32, worded),
    shape("Grafana token", "glc_", 32, encoded),
    shape("Sentry token", "sntrys_", 32, encoded),
    shape("Linear key", "lin_api_", 32, plain),
    shape("Notion token", "ntn_", 40, plain),
    shape("Figma token", "figd_", 32, dashed),
    shape("Tailscale key", "tskey-", 20, dashed),
    shape("Atlassian token", "ATATT3", 40, encoded),
    shape("Supabase token", "sbp_", 40, plain),
    shape("NVIDIA key", "nvapi-", 20, dashed),
    // With underscores these are names.
    shape("Vercel token", "vercel_", 24, plain),
    shape("Vercel token", "vercel_blob_rw_", 20, worded),
    shape("Vercel token", "vcp_", 40, dashed),
    shape("Vercel token", "vci_", 40, dashed),
    shape("Vercel token", "vca_", 40, dashed),
    shape("Vercel token", "vcr_", 40, dashed),
    shape("Vercel key", "vck_", 40, dashed),
    shape("Netlify token", "nfp_", 36, plain),
    shape("Render key", "rnd_", 28, plain),
    shape("Fly token", "fm2_", 40, encoded),
    shape("Fly token", "fo1_", 40, dashed),
    shape("Heroku key", "HRKU-AA", 40, dashed),
    shape("Pulumi token", "pul-", 40, hex),
    shape("Doppler token", "dp.pt.", 40, plain),
    shape("Doppler token", "dp.st.", 40, dotted),
    shape("Doppler token", "dp.ct.", 40, plain),
    shape("Doppler token", "dp.sa.", 40, plain),
    shape("PlanetScale token", "pscale_tkn_", 32, dotted),
    shape("PlanetScale password", "pscale_pw_", 32, dotted),
    shape("PlanetScale token", "pscale_oauth_", 32, dotted),
    shape("Supabase key", "sb_secret_", 20, dashed),
    shape("Pinecone key", "pcsk_", 40, worded),
    shape("LangSmith key", "lsv2_pt_", 32, worded),
    shape("LangSmith key", "lsv2_sk_", 32, worded),
    shape("Langfuse key", "sk-lf-", 32, dashed),
    shape("Tavily key", "tvly-", 24, dashed),
    shape("Firecrawl key", "fc-", 32, hex),
    shape("E2B key", "e2b_", 40, hex),
    shape("Cerebras key", "csk-", 40, plain),
    shape("Fireworks key", "fw_", 22, plain),
    shape("Together key", "tgp_v1_", 40, dashed),
    shape("ElevenLabs key", "sk_", 48, hex),
    shape("Jina key", "jina_", 50, dashed),
    shape("Weights & Biases key", "wandb_v1_", 40, worded),
    shape("Cursor key", "crsr_", 40, hex),
    shape("Buildkite token", "bkua_", 40, hex),
    shape("CircleCI token", "CCIPAT_", 40, worded),
    shape("CircleCI token", "CCIPRJ_", 40, worded),
    shape("Sourcegraph token", "sgp_", 40, worded),
    shape("Artifactory token", "AKCp", 69, plain),
    shape("NuGet key", "oy2", 43, plain),
    shape("Clojars token", "CLOJARS_", 60, plain),
    shape("Sentry token", "sntryu_", 64, hex),
    shape("New Relic key", "NRAK-", 27, plain),
    shape("Dynatrace token", "dt0c01.", 80, dotted),
    shape("PostHog key", "phx_", 40, dashed),
    shape("1Password token", "ops_eyJ", 40, encoded),
    shape("Postman key", "PMAK-", 59, dashed),
    shape("Mailgun key", "key-", 32, hex),
    shape("Brevo key", "xkeysib-", 64, dashed),
    shape("Twilio key", "SK", 32, hex),
    shape("Square token", "sq0atp-", 22, dashed),
    shape("Square secret", "sq0csp-", 43, dashed),
    shape("Shopify token", "shpca_", 32, plain),
    shape("Shopify token", "shppa_", 32, plain),
    shape("Flutterwave key", "FLWSECK-", 32, dashed),
    shape("Flutterwave key", "FLWSECK_TEST-", 12, dashed),
    shape("Shippo token", "shippo_live_", 40, hex),
    shape("Linear token", "lin_oauth_", 32, plain),
    shape("Notion token", "secret_", 43, plain),
    shape("Bitbucket token", "ATCTT3", 40, encoded),
    shape("Bitbucket password", "ATBB", 28, plain),
    shape("Alibaba key id", "LTAI", 20, plain),
    shape("Apify token", "apify_api_", 36, plain),
    shape("Slack cookie", "xoxd-", 20, signed),
    shape("GitLab token", "GR1348941", 20, dashed),
    shape("Discord webhook", "discord.com/api/webhooks/", 50, parted),
    shape("Telegram token", "api.telegram.org/bot", 40, parted),
    shape("age key", "AGE-SECRET-KEY-1", 40, plain),
    shape("Azure key", "AccountKey=", 40, encoded),
    shape("Azure key", "SharedAccessKey=", 40, encoded),
    shape("Azure signature", "sig=", 40, signed),
    shape("AWS key", "aws_secret_access_key=", 40, encoded),
    shape("AWS key", "aws_secret_access_key = ", 40, encoded),
    shape("AWS key", "SecretAccessKey\":\"", 40, encoded),
    shape("AWS key", "SecretAccessKey\": \"", 40, encoded),
    shape("token in a header", "Authorization: token ", 16, dotted),
    shape("token in a header", "authorization: token ", 16, dotted),
    shape("token in a header", "PRIVATE-TOKEN: ", 16, dotted),
    shape("token in a header", "private-token: ", 16, dotted),
    shape("token in a header", "X-Api-Key: ", 16, dotted),
    shape("token in a header", "x-api-key: ", 16, dotted),
    shape("token in a header", "x-goog-api-key: ", 16, dotted),
    shape("token in a header", "api-key: ", 32, plain),
    Shape {
        form: Form::Basic,
        ..shape("login in a header", "Basic", 0, encoded)
    },
    Shape {
        form: Form::Basic,
        ..shape("login in a header", "basic", 0, encoded)
    },
    shape("value in the text", "OPENAI_API_KEY=", 8, valued),
    shape("value in the text", "GEMINI_API_KEY=", 8, valued),
    shape("value in the text", "GOOGLE_API_KEY=", 8, valued),
    shape("value in the text", "OPENROUTER_API_KEY=", 8, valued),
    shape("value in the text", "ANTHROPIC_AUTH_TOKEN=", 8, valued),
    shape("value in the text", "CLAUDE_CODE_OAUTH_TOKEN=", 8, valued),
    shape("value in the text", "AWS_SECRET_ACCESS_KEY=", 8, valued),
    shape("value in the text", "AWS_SESSION_TOKEN=", 8, valued),
    shape("value in the text", "GITHUB_TOKEN=", 8, valued),
    shape("value in the text", "GH_TOKEN=", 8, valued),
    shape("value in the text", "GITLAB_TOKEN=", 8, valued),
    shape("value in the text", "NPM_TOKEN=", 8, valued),
    shape("value in the text", "NVIDIA_API_KEY=", 8, valued),
    shape("value in the text", "VERCEL_TOKEN=", 8, valued),
    Shape {
        form: Form::WebToken,
        // Within what could be one, another begins behind a dot only.
        begins: Begin::Part,
        ..shape("web token", "eyJ", 0, dotted)
    },
    Shape {
        form: Form::KeyBlock,
        begins: Begin::Anywhere,
        ..shape("private key", "-----BEGIN ", 0, printed)
    },
    Shape {
        form: Form::Address,
        begins: Begin::Anywhere,
        ..shape("password in an address", "://", 0, printed)
    },
];
