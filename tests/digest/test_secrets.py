"""Secrets do not leave; lines stay lines; words of sentences stay words.

All secrets are made up while the tests run, in pieces, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import random
import string
import threading
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from milepost.digest.secrets import mask_secrets

UPPER = string.ascii_uppercase + "234567"
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
BASE64 = ALNUM + "+/"


def made_up(length: int, alphabet: str = ALNUM, seed: int = 7) -> str:
    """A string that looks drawn by lot, with a letter and a digit in it."""
    draw = random.Random(seed)
    body = "".join(draw.choice(alphabet) for _ in range(length - 2))
    return body + ("a" if "a" in alphabet else "A") + ("7" if "7" in alphabet else "2")


TOKENS = [
    ("AWS key", "AK" + "IA" + made_up(16, UPPER)),
    ("AWS key", "AS" + "IA" + made_up(16, UPPER)),
    ("Google key", "AI" + "za" + made_up(35)),
    ("GitHub token", "gh" + "p_" + made_up(36)),
    ("GitHub token", "github" + "_pat_" + made_up(82)),
    ("GitLab token", "gl" + "pat-" + made_up(20)),
    ("Slack token", "xo" + "xb-" + "123456789012-" + "123456789012-" + made_up(24)),
    ("Slack token", "xa" + "pp-1-A0-" + made_up(24)),
    ("OpenAI key", "sk-" + "proj-" + made_up(80)),
    ("Anthropic key", "sk-" + "ant-api03-" + made_up(95)),
    ("API key", "sk-" + made_up(48)),
    ("Stripe key", "sk_" + "live_" + made_up(24)),
    ("Twilio key", "S" + "K" + made_up(32, HEX)),
    ("SendGrid key", "S" + "G." + made_up(22) + "." + made_up(43)),
    ("npm token", "np" + "m_" + made_up(36)),
    ("PyPI token", "pypi-" + "AgEIcHlwaS5vcmc" + made_up(60)),
    ("Hugging Face token", "h" + "f_" + made_up(34)),
    ("Databricks token", "da" + "pi" + made_up(32, HEX)),
    ("Vault token", "hv" + "s." + made_up(95)),
    ("Shopify token", "shp" + "at_" + made_up(32, HEX)),
    ("DigitalOcean token", "dop" + "_v1_" + made_up(64, HEX)),
    ("Telegram token", "https://api.telegram.org/bo" + "t123456789:" + made_up(35)),
    ("JSON web token", "ey" + "J" + made_up(30) + ".ey" + "J" + made_up(40) + "." + made_up(43)),
    ("webhook", "https://hooks.slack" + ".com/services/T" + made_up(8) + "/B" + made_up(8) + "/" + made_up(24)),
]


@pytest.mark.parametrize("kind, token", TOKENS, ids=[f"{kind} {number}" for number, (kind, _) in enumerate(TOKENS)])
@pytest.mark.parametrize("line", ["{}", "key: {} (in use)", '{{"value":"{}","n":1}}', "a={}&b=1", "2026-11-30 got {},"])
def test_a_token_is_masked_wherever_it_stands_and_what_is_around_it_stays(kind: str, token: str, line: str) -> None:
    text = f"before\n{line.format(token)}\nafter"
    masked = mask_secrets(text)
    assert token[-12:] not in masked
    assert f"[masked: {kind}" in masked or "[masked: secret" in masked
    before, after = line.format("\0").split("\0")
    assert masked.startswith(f"before\n{before}"[: len("before\n") + len(before)])
    assert masked.endswith(f"{after}\nafter")


SECRET = made_up(20)
ASSIGNED = [
    "password={}",
    "password: {}",
    '"password": "{}"',
    'db_password = "{}"',
    "PGPASSWORD={} psql",
    "--password={} --host=db",
    "Password={};Server=db;",
    "passphrase: '{}'",
    "client_secret: {}",
    "https://host/path?access_token={}&page=2",
    "export API_KEY={}",
    "x-api-key: {}",
    '{{\\"apiKey\\":\\"{}\\"}}',
    "AccountKey={}==;EndpointSuffix=core",
    "postgres://app:{}@db.internal:5432/shop",
    "redis://:{}@cache:6379/0",
    "Authorization: Bearer {}",
    "authorization: Basic {}",
    'Authorization: Digest username="me", realm="r", response="{}"',
    "Authorization: AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature={}",
    '"Authorization": "Bearer {}"',
    "curl -u admin:{} https://host/",
    "Cookie: session={}; theme=dark",
    "Set-Cookie: id={}; Path=/",
    "GET /blob?sv=2024&sig={}%3D HTTP/1.1",
    "ALTER USER app IDENTIFIED BY '{}';",
    "aws_secret_access_key = {}",
]


@pytest.mark.parametrize("line", ASSIGNED)
def test_what_is_assigned_to_a_name_of_a_secret_is_masked(line: str) -> None:
    masked = mask_secrets(line.format(SECRET))
    assert SECRET not in masked
    assert "[masked: " in masked
    assert masked.startswith(line.split("{}")[0].replace("{{", "{")[:8])


@pytest.mark.parametrize(
    "line",
    [
        "Failed password for root from 10.0.0.7 port 22 ssh2",
        "password: required by policy",
        "error: unexpected token: found 'end'",
        "password = os.environ['DB']",
        "token = get_token(session)",
        "PWD=/home/me/project",
        "install base-passwd:amd64 <none> 3.5.33",
        "AuthenticationPasswordLogin_Passive::RunAuthenticationMethod: authentication",
        "secret \"default-token\" not found",
        "password=******** host=db",
        "password=${DB_PASSWORD}",
        "subj=system_u:system_r:sshd_session_t:s0-s0",
        "Bad activity token: android.os.BinderProxy@2bd79ce",
        "max_tokens: 4096",
        "http://10.0.0.7:8080/path@2x.png",
        "see https://example.org/a:b and mail me@example.org",
        "basic tests passed",
        "the cookie jar is empty",
    ],
)  # fmt: skip
def test_sentences_code_and_placeholders_stay(line: str) -> None:
    assert mask_secrets(line) == line


def private_key(kind: str = "RSA ", lines: int = 12, end: str = "\n") -> str:
    body = end.join(made_up(64, BASE64, seed) for seed in range(lines))
    return f"-----BEGIN {kind}PRIVATE KEY-----{end}{body}{end}-----END {kind}PRIVATE KEY-----"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH "])
def test_a_private_key_is_masked_line_by_line(kind: str, end: str) -> None:
    key = private_key(kind, end=end)
    text = f"before{end}{key}{end}after{end}"
    masked = mask_secrets(text)
    assert masked.count(end) == text.count(end)
    assert all(line not in masked for line in key.split(end)[1:-1])
    assert masked.count("[masked: private key]") == 12
    assert masked.endswith(f"PRIVATE KEY-----{end}after{end}")


def test_a_private_key_is_masked_where_a_chunk_begins_or_ends_within_it() -> None:
    key = private_key()
    lines = key.split("\n")
    head = mask_secrets("\n".join(["log", *lines[:6]]) + "\n")
    assert head.count("[masked: private key]") == 5
    tail = mask_secrets("\n".join([*lines[6:], "log", "ordinary words here"]))
    assert tail.count("[masked: private key]") == 7
    assert tail.endswith("log\nordinary words here")


def test_a_private_key_in_one_line_is_masked() -> None:
    key = private_key().replace("\n", "\\n")
    masked = mask_secrets(f'{{"private_key": "{key}", "client_email": "robot@example.org"}}\nnext')
    assert made_up(64, BASE64, 3) not in masked
    assert masked.endswith("\nnext")


def test_a_mask_tells_the_class_of_length() -> None:
    assert mask_secrets("password=" + made_up(9)).endswith("[masked: password, short]")
    assert mask_secrets("password=" + made_up(30)).endswith("[masked: password, medium]")
    assert mask_secrets("password=" + made_up(100)).endswith("[masked: password, long]")


PIECES = st.sampled_from(
    ["password=", "token: ", '"', "'", "\n", "\r\n", "\r", " ", "://u:", "@", "Bearer ", "-----BEGIN PRIVATE KEY-----",
     "-----END PRIVATE KEY-----", "abc", SECRET, "é", "\ud800", "\\",
     "\\n", "cookie: a=", *(f"{token} " for _, token in TOKENS[:6])]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map("".join))
@example(
    "-----BEGIN PRIVATE KEY-----AKIAUJZDEGXDNCF32EA7 -----BEGIN PRIVATE KEY-----"
)  # capitals up to another first line
@example("-----BEGIN PRIVATE KEY-----password=-----END PRIVATE KEY-----")
def test_lines_stay_and_masking_twice_changes_nothing(text: str) -> None:
    masked = mask_secrets(text)
    assert [masked.count(end) for end in "\r\n"] == [text.count(end) for end in "\r\n"]
    assert mask_secrets(masked) == masked


def test_long_lines_full_of_triggers_take_linear_time() -> None:
    began = time.process_time()
    for text in (
        "password" * 100_000,
        "token=" * 100_000,
        "://a:" * 100_000,
        "ey" + "J" + "a" * 500_000,
        "Bearer " * 50_000,
    ):
        mask_secrets(text)
    assert time.process_time() - began < 10


def test_several_threads_may_mask_at_once() -> None:
    text = "\n".join(f"line {number} password={made_up(20, seed=number)}" for number in range(2000))
    expected = mask_secrets(text)
    results: list[str] = []
    threads = [threading.Thread(target=lambda: results.append(mask_secrets(text))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 6
