"""What secrets look like: the formats that services document for their keys, and names that secrets are assigned to.

Each rule begins with a literal that is looked for in all text at once (`secrets.py`); only where it stands is the rest tried,
anchored there, so text without any of these literals costs next to nothing. The kinds are those that the rules of gitleaks
(July 2026) and detect-secrets know by a prefix of their own, as far as a developer's files hold them; what they know by a
name ("…_api_key = …") is covered by the names at the end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = rb"[A-Za-z0-9_-]"
# A name, and what may stand between it and its value: quotes (also escaped, as in JSON within JSON), blanks, `=`, `:`, `=>`, `:=`.
_ASSIGNED = rb"""[\w.\[\]-]{3,80}\\{0,3}["']?[ \t]{0,4}(?P<sign>:=|=>|={1,3}|:)[ \t]{0,4}"""
_QUOTED = rb"""(?P<escape>\\{0,3})(?P<quote>["'`])(?P<quoted>[^"'`\r\n]{1,1000}?)(?P=escape)(?P=quote)"""
_BARE = rb"""(?P<bare>[^\s"'`,;&<>(){}\[\]\\|]{1,1000})(?P<after>[ \t]{0,8}[^\r\n]?)"""
_VALUE = _ASSIGNED + rb"(?:" + _QUOTED + rb"|" + _BARE + rb")"


@dataclass(frozen=True, slots=True)
class SecretRule:
    """One form of secret. `pattern` is tried where one of `literals` begins, and its group `secret` is what is masked.

    `at_word_start` asks that no letter or digit stands before. `is_sized` says that all secrets of the kind are of one
    length, so that a mask need not tell it.
    """

    kind: str
    literals: tuple[bytes, ...]
    pattern: re.Pattern[bytes]
    ignores_case: bool = False
    at_word_start: bool = True
    is_sized: bool = False


def _token(kind: str, literals: str, rest: bytes, *, is_sized: bool = True) -> SecretRule:
    starts = tuple(literal.encode() for literal in literals.split())
    head = b"|".join(re.escape(start) for start in starts)
    return SecretRule(kind, starts, re.compile(rb"(?P<secret>(?:" + head + rb")" + rest + rb")"), is_sized=is_sized)


def _some(least: int, most: int = 400, of: bytes = _WORD) -> bytes:
    return of + b"{%d,%d}" % (least, most)


TOKEN_RULES = (
    _token("AWS key", "AKIA ASIA ABIA ACCA A3T", rb"[A-Z0-9]{16,17}(?![A-Za-z0-9])"),
    _token("AWS key", "ABSK", _some(100, 280, rb"[A-Za-z0-9+/=]")),
    _token("Google key", "AIza", _some(35, 35)),
    _token("Google token", "ya29. GOCSPX-", _some(20, 400, rb"[A-Za-z0-9_.-]"), is_sized=False),
    _token("Alibaba key", "LTAI", rb"[A-Za-z0-9]{12,24}(?![A-Za-z0-9])"),
    _token("DigitalOcean token", "doo_v1_ dop_v1_ dor_v1_", rb"[a-fA-F0-9]{64}"),
    _token("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", rb"[A-Za-z0-9_]{36,255}"),
    _token("GitHub token", "github_pat_", rb"[A-Za-z0-9_]{60,90}"),
    _token(
        "GitLab token",
        "glpat- glptt- gldt- glrt- glcbt- glft- glimt- glagent- gloas- glsoat- glffct- GR1348941",
        _some(20, 320, rb"[A-Za-z0-9_.-]"),
        is_sized=False,
    ),
    _token(
        "Slack token",
        "xoxb- xoxp- xoxa- xoxo- xoxs- xoxr- xoxe- xoxe. xapp- XOXB- XOXP-",
        _some(10, 400, rb"[A-Za-z0-9.-]"),
    ),
    _token("OpenAI key", "sk-proj- sk-svcacct- sk-admin-", _some(20)),
    _token("Anthropic key", "sk-ant-", _some(20)),
    _token("API key", "sk-", rb"[A-Za-z0-9]{20,200}(?![A-Za-z0-9])", is_sized=False),
    _token(
        "Stripe key",
        "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ whsec_",
        rb"[A-Za-z0-9+/=]{10,120}",
        is_sized=False,
    ),
    _token("Square token", "sq0atp- sq0csp- EAAA", _some(22, 120)),
    _token("Twilio key", "SK", rb"[0-9a-fA-F]{32}(?![A-Za-z0-9])"),
    _token("SendGrid key", "SG.", rb"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    _token("Mailchimp key", "key-", rb"[0-9a-f]{32}(?![A-Za-z0-9])"),
    _token("npm token", "npm_", rb"[A-Za-z0-9]{36}"),
    _token("PyPI token", "pypi-AgE", _some(50, 1000)),
    _token("RubyGems token", "rubygems_", rb"[a-f0-9]{48}"),
    _token("Hugging Face token", "hf_ api_org_", rb"[A-Za-z0-9]{30,40}(?![A-Za-z0-9])"),
    _token("Databricks token", "dapi", rb"[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9])"),
    _token("Vault token", "hvs. hvb. hvr.", _some(24)),
    _token("Grafana token", "glsa_ glc_", _some(30, 400, rb"[A-Za-z0-9_+/=]"), is_sized=False),
    _token("Shopify token", "shpat_ shpca_ shppa_ shpss_", rb"[a-fA-F0-9]{32}"),
    _token("Linear key", "lin_api_", rb"[A-Za-z0-9]{40}"),
    _token("Notion token", "ntn_", rb"[A-Za-z0-9]{40,50}"),
    _token("Sentry token", "sntrys_ sntryu_", _some(40, 600, rb"[A-Za-z0-9_+/=]"), is_sized=False),
    _token("Pulumi token", "pul-", rb"[a-f0-9]{40}"),
    _token("Postman key", "PMAK-", rb"[a-f0-9]{24}-[a-f0-9]{34}"),
    _token("PlanetScale token", "pscale_tkn_ pscale_oauth_ pscale_pw_", _some(30, 80, rb"[A-Za-z0-9_=.-]")),
    _token("Dynatrace token", "dt0c01.", rb"[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"),
    _token("Docker token", "dckr_pat_ dckr_oat_", _some(20, 60)),
    _token("Doppler token", "dp.pt. dp.st.", _some(40, 60, rb"[A-Za-z0-9.]")),
    _token("Fly token", "fo1_ fm1r_ fm1a_ fm2_", _some(40, 800, rb"[A-Za-z0-9_+/=-]"), is_sized=False),
    _token("Airtable token", "pat", rb"[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    _token("Perplexity key", "pplx-", rb"[A-Za-z0-9]{40,60}"),
    _token("Heroku key", "HRKU-", _some(50, 80)),
    _token("Artifactory key", "AKCp", rb"[A-Za-z0-9]{10,80}(?![A-Za-z0-9])"),
    _token("Artifactory key", "cmVmd", rb"[A-Za-z0-9]{59}(?![A-Za-z0-9])"),
    _token("OpenShift token", "sha256~", _some(43, 43)),
    _token("Brevo key", "xkeysib-", rb"[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    _token("Adobe key", "p8e-", rb"[A-Za-z0-9]{32}"),
    _token("Bedrock key", "bedrock-api-key-", _some(20, 2000, rb"[A-Za-z0-9+/=_-]"), is_sized=False),
    _token("ClickHouse key", "4b1d", rb"[A-Za-z0-9]{38}(?![A-Za-z0-9])"),
    _token("Clojars token", "CLOJARS_", rb"[A-Za-z0-9]{60}"),
    _token("Cloudflare key", "v1.0-", rb"[a-f0-9]{24}-[a-f0-9]{146}"),
    _token("Duffel token", "duffel_test_ duffel_live_", _some(43, 43, rb"[A-Za-z0-9_=-]")),
    _token("EasyPost key", "EZAK EZTK", rb"[A-Za-z0-9]{54}(?![A-Za-z0-9])"),
    _token("Facebook token", "EAAM EAAC", rb"[A-Za-z0-9]{100,400}", is_sized=False),
    _token("Flutterwave key", "FLWSECK_TEST- FLWSECK-", _some(12, 50)),
    _token("Frame.io token", "fio-u-", _some(64, 64, rb"[A-Za-z0-9_=-]")),
    _token("Harness key", "pat. sat.", rb"[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}"),
    _token("Infracost token", "ico-", rb"[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    _token("Mailgun key", "pubkey-", rb"[a-f0-9]{32}"),
    _token("New Relic key", "NRAK- NRII- NRRA- NRJS-", rb"[A-Za-z0-9-]{19,40}"),
    _token("Octopus key", "API-", rb"[A-Z0-9]{26}(?![A-Za-z0-9])"),
    _token("Plaid token", "access-sandbox- access-development- access-production-", rb"[a-f0-9]{8}-[a-f0-9-]{27}"),
    _token("Prefect key", "pnu_ pnb_", rb"[A-Za-z0-9]{36}"),
    _token("Readme key", "rdme_", rb"[a-z0-9]{70}"),
    _token("Scalingo token", "tk-us-", _some(48, 48)),
    _token("Shippo token", "shippo_live_ shippo_test_", rb"[a-fA-F0-9]{40}"),
    _token("Yandex key", "AQVN", rb"[A-Za-z0-9_-]{35,38}"),
    _token("age key", "AGE-SECRET-KEY-1", rb"[A-Z0-9]{58}"),
    _token("1Password key", "A3-", rb"[A-Z0-9]{6}-[A-Z0-9-]{20,30}"),
    _token("1Password token", "ops_eyJ", _some(200, 2000, rb"[A-Za-z0-9+/=]"), is_sized=False),
    _token("Terraform token", "atlasv1.", rb"[A-Za-z0-9_=-]{60,70}"),
    _token(
        "JSON web token",
        "eyJ",
        rb"[A-Za-z0-9_=-]{8,4000}\.[A-Za-z0-9_=-]{8,8000}(?:\.[A-Za-z0-9_.+/=-]{0,4000})?",
        is_sized=False,
    ),
    _token("Grafana token", "eyJrIjoi", rb"[A-Za-z0-9+/=]{60,400}", is_sized=False),
    SecretRule(
        "webhook",
        (b"hooks.slack.com/", b"discord.com/api/webhooks/", b"discordapp.com/api/webhooks/", b".webhook.office.com/"),
        re.compile(rb"[a-z.]+/(?:[a-z]+/)*(?P<secret>[\w/@+-]{16,300})"),
        at_word_start=False,
    ),
    # Telegram: the number of a bot, a colon, 35 characters. The path of its API is what such a token is logged in.
    SecretRule("Telegram token", (b"/bot",), re.compile(rb"/bot(?P<secret>\d{6,12}:[\w-]{35})"), at_word_start=False),
)

SCHEME_RULES = (
    SecretRule(
        "password",
        (b"://",),
        re.compile(rb"://[^\s/?#:@\"'<>]{0,200}:(?P<secret>(?!//)[^\s/@\"'<>]{1,300})@"),
        at_word_start=False,
    ),
    SecretRule(
        "authorization",
        (b"authorization",),
        re.compile(
            rb"""(?i:(?:proxy-)?authorization)\\{0,3}["']?[ \t]{0,4}[:=]{1,2}>?[ \t]{0,4}\\{0,3}["']?"""
            rb"""(?:(?i:basic|bearer|token|apikey|api-key|negotiate|ntlm)[ \t]+(?P<secret>[^"'\\\s]{6,4000})"""
            rb"""|(?i:digest|aws4-hmac-sha256|sharedaccesssignature)[ \t]+(?P<rest>[^'\r\n]{6,4000}))"""
        ),
        ignores_case=True,
        at_word_start=False,
    ),
    SecretRule(
        "token",
        (b"bearer ",),
        re.compile(rb"(?i:bearer)[ \t]+(?P<secret>[A-Za-z0-9._~+/=-]{16,4000})"),
        ignores_case=True,
    ),
    SecretRule(
        "password",
        (b"basic ",),
        re.compile(rb"(?i:basic)[ \t]+(?P<secret>[A-Za-z0-9+/]{16,400}={1,2})"),
        ignores_case=True,
    ),
    SecretRule(
        "cookie",
        (b"cookie",),
        re.compile(
            rb"""(?i:cookie)\\{0,3}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,3}["']?(?P<secret>[\w.-]{1,80}=[^"'\\\r\n]{8,4000})"""
        ),
        ignores_case=True,
        at_word_start=False,
    ),
    SecretRule(
        "signature",
        (b"sig=", b"x-amz-signature=", b"x-goog-signature=", b"x-amz-security-token="),
        re.compile(rb"(?i:[a-z-]+)=(?P<secret>[A-Za-z0-9%+/=_-]{20,2000})"),
        ignores_case=True,
    ),
    SecretRule(
        "password",
        (b"curl ",),
        re.compile(rb"curl (?:[^\r\n]{0,300}? )?(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,100}:(?P<secret>[^\s\"']{1,200})"),
    ),
    SecretRule(
        "password",
        (b"IDENTIFIED BY ", b"identified by "),
        re.compile(rb"(?i:identified by )[\"'](?P<secret>[^\"'\r\n]{1,200})[\"']"),
    ),
)

#: Names whose value is a password however simple it is.
PASSWORD_NAMES = SecretRule(
    "password",
    (b"password", b"passwd", b"passphrase", b"passwort", b"pwd", b"contrase"),
    re.compile(_VALUE),
    ignores_case=True,
    at_word_start=False,
)

#: Names whose value is a secret if it looks like one.
KEY_NAMES = SecretRule(
    "secret",
    (
        b"secret", b"token", b"credential", b"apikey", b"api_key", b"api-key", b"accesskey", b"access_key", b"access-key",
        b"accountkey", b"account_key", b"authkey", b"auth_key", b"private_key", b"privatekey", b"private-key",
        b"encryption_key", b"signing_key", b"service_key", b"client_key", b"db_key", b"db_pass", b"database_pass",
        b"key_pass", b"sessionid", b"session_id", b"phpsessid", b"_session",
    ),
    re.compile(_VALUE),
    ignores_case=True,
    at_word_start=False,
)  # fmt: skip

#: What stands where a secret would, and is none.
PLACEHOLDER = re.compile(
    rb"(?i)(?:null|none|nil|true|false|undefined|unset|empty|required|missing|redacted|hidden|masked|changeme\?|n/?a"
    rb"|[*x.#?-]+|\d{1,3}|\$.*|%.*|@.*|[{<\[(].*|\\.*)\Z"
)
