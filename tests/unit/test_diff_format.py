"""Diffs: files, hunks and commits with exact ranges and counts, whatever tool wrote them."""

from __future__ import annotations

from pathlib import Path

import pytest

from milepost.core import scan
from milepost.core.analysis import Analysis, Options
from milepost.core.detect import detect_format, sample_of
from milepost.core.formats.diff import FORMAT
from milepost.core.outline import Outline, Section, walk
from milepost.core.source import BytesSource

GIT = b"""\
diff --git a/src/main.c b/src/main.c
index 1111111..2222222 100644
--- a/src/main.c
+++ b/src/main.c
@@ -1,3 +1,4 @@ int main(void)
 one
--- a looks like the head of a file
++++ b and so does this
+four
 two
diff --git a/old name.txt b/new name.txt
similarity index 90%
rename from old name.txt
rename to new name.txt
--- a/old name.txt
+++ b/new name.txt
@@ -7 +7 @@
-x
+y
\\ No newline at end of file
diff --git a/logo.png b/logo.png
new file mode 100644
index 0000000..3333333
Binary files /dev/null and b/logo.png differ
"""

SVN = b"""\
Index: doc/guide.txt
===================================================================
--- doc/guide.txt\t(revision 191)
+++ doc/guide.txt\t(working copy)
@@ -1,2 +1,2 @@
-This
+That
 stays
"""

NORMAL = b"""\
diff -r old/a.txt new/a.txt
1,2c1,3
< one
< --- a
---
> ones
> @@ -1 +1 @@
> more
5d5
< gone
\\ No newline at end of file
Only in new: b.txt
diff -r old/c.txt new/c.txt
0a1
> first
"""

STAT = b"""\
commit 0123456789012345678901234567890123456789 (HEAD -> main)
Author: A <a@example.org>
Date:   Mon Nov 30 12:00:00 2026 +0000

    Say it in a sentence

 core/a.py | 12 ++++++++----
 1 file changed, 8 insertions(+), 4 deletions(-)

commit 1123456789012345678901234567890123456789
Author: A <a@example.org>
Date:   Mon Nov 30 11:00:00 2026 +0000

    Another

M\tcore/a.py
R100\tcore/b.py\tcore/c.py
12\t-\tcore/d.bin
"""

CONTEXT = b"""\
*** old/list.txt\t2024-01-01 10:00:00 +0000
--- new/list.txt\t2024-01-02 10:00:00 +0000
***************
*** 1,4 ****
  apple
! pear
- plum
  fig
--- 1,4 ----
  apple
! peach
  fig
+ grape
"""

LOG = b"""\
commit 0123456789abcdef0123456789abcdef01234567
Author: Ada <ada@example.org>
Date:   Mon Jan 1 10:00:00 2024 +0000

    Sort the fruit

    The body of the message.

diff --git a/a b/a
--- a/a
+++ b/a
@@ -1 +1,2 @@
 a
+b
commit fedcba9876543210fedcba9876543210fedcba98
Author: Bob <bob@example.org>
Date:   Tue Jan 2 10:00:00 2024 +0000

    Nothing changed
"""

MAILS = b"""\
From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001
From: Ada <ada@example.org>
Date: Mon, 1 Jan 2024 10:00:00 +0000
Subject: [PATCH 1/2] Sort the fruit

---
 a | 1 +
 1 file changed, 1 insertion(+)

--- a/a
+++ b/a
@@ -1 +1,2 @@
 a
+b
--\x20
2.40.0

"""


def outline(data: bytes, name: str = "x.diff") -> Outline:
    return Analysis(BytesSource(name, data), Options(format="diff")).outline()


def of_kind(found: Outline, kind: str) -> list[Section]:
    return [one for one in walk(found.sections) if one.kind == kind]


@pytest.mark.parametrize(
    "data, files",
    [
        (GIT, [("src/main.c", 2, 1), ("old name.txt → new name.txt", 1, 1), ("logo.png", 0, 0)]),
        (SVN, [("doc/guide.txt", 1, 1)]),
        (CONTEXT, [("new/list.txt", 2, 2)]),
        (LOG, [("a", 1, 0)]),
        (MAILS, [("a", 1, 0)]),
        (
            GIT.replace(b"\n", b"\r\n"),
            [("src/main.c", 2, 1), ("old name.txt → new name.txt", 1, 1), ("logo.png", 0, 0)],
        ),
    ],
    ids=["git", "svn", "context", "log", "mails", "crlf"],
)
def test_files_and_their_changes(data: bytes, files: list[tuple[str, int, int]]) -> None:
    found = outline(data)
    assert [(one.title, one.facts["added"], one.facts["removed"]) for one in of_kind(found, "file")] == files
    assert found.problems == ()
    assert FORMAT.sniff(sample_of(BytesSource("x", data), "x")) > 0.9


def test_a_hunk_holds_the_lines_its_head_says() -> None:
    first, second = of_kind(outline(GIT), "hunk")
    assert (first.title, first.start_line, first.end_line) == ("@@ -1,3 +1,4 @@ int main(void)", 5, 10)
    assert first.digest == "+2 −1"
    assert GIT[second.start_byte : second.end_byte].endswith(b"\\ No newline at end of file\n")


def test_commits_hold_their_files() -> None:
    first, second = outline(LOG).sections
    assert first.title == "0123456789ab Sort the fruit"
    assert first.digest.startswith("+1 −0 in 1 file, Ada <ada@example.org>")
    assert [one.title for one in first.children] == ["a"]
    assert (second.title, second.children) == ("fedcba987654 Nothing changed", ())
    assert outline(MAILS).sections[0].title == "0123456789ab [PATCH 1/2] Sort the fruit"


def test_a_hunk_cut_short_is_named() -> None:
    cut = GIT[: GIT.index(b"+four")]
    assert [(one.message, one.line) for one in outline(cut).problems] == [("the diff ends inside a hunk", 8)]
    longer = GIT.replace(b" two\n", b" two\n+five\n")
    assert [(one.message, one.line) for one in outline(longer).problems] == [
        ("the hunk has more lines than its head says", 5)
    ]
    torn = GIT.replace(b"+four\n two\n", b"")
    assert [one.line for one in outline(torn).problems] == [5]


def test_a_lone_carriage_return_ends_no_line_of_a_diff() -> None:
    data = b"--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+one\rstill one\n+two\n"
    found = outline(data)
    assert [(one.facts["added"], one.start_line, one.end_line) for one in of_kind(found, "hunk")] == [(2, 3, 6)]


def big_diff(files: int, hunks: int) -> bytes:
    """Many files of many hunks, over several blocks."""
    parts = []
    for file in range(files):
        parts.append(f"diff --git a/f{file} b/f{file}\n--- a/f{file}\n+++ b/f{file}\n")
        parts.extend(
            f"@@ -{10 * hunk + 1},3 +{10 * hunk + 1},4 @@ fn{hunk}\n {'context ' * 6}\n-x\n+y\n+z{hunk}\n c\n"
            for hunk in range(hunks)
        )
    return "".join(parts).encode()


def test_what_is_folded_is_listed_when_it_is_expanded() -> None:
    data = big_diff(40, 1500)
    assert len(data) > 4 << 20
    analysis = Analysis(BytesSource("big.diff", data), Options(format="diff"))
    found = analysis.outline()
    assert found.stats["hunks"] == 60000
    assert (found.stats["added"], found.stats["removed"]) == (120000, 60000)
    group = next(one for one in walk(found.sections) if one.facts.get("of") == "hunk")
    members = analysis.expand(group)
    assert len(members) == group.count
    assert [one.kind for one in members] == ["hunk"] * group.count
    assert members[0].start_byte == group.start_byte
    assert data[members[-1].start_byte : members[-1].end_byte].startswith(b"@@ ")


@pytest.mark.parametrize(
    "text",
    [
        b"# Title\n\nUse it so:\n\n    --- a\n    +++ b\n\nand so on\n",
        b"--- a list\n+++ of\nthings\n",
        b"2024-01-01 10:00:00 INFO diff --git is not here\n" * 20,
        b"",
    ],
)
def test_other_texts_are_no_diffs(text: bytes) -> None:
    assert FORMAT.sniff(sample_of(BytesSource("x", text), "x")) == 0


@pytest.mark.corpus
def test_counts_of_the_corpus_are_those_of_its_lines(corpus: Path) -> None:
    """In a git diff without tricks the added and removed lines can be counted by their first bytes alone."""
    data = (corpus / "git-output-lnav" / "docs-and-testlogs.diff").read_bytes()
    lines = data.split(b"\n")
    found = outline(data)
    assert found.stats["files"] == sum(line.startswith(b"diff --git ") for line in lines)
    assert found.stats["hunks"] == sum(line.startswith(b"@@ ") for line in lines)


def test_hunks_of_a_normal_diff_are_counted_by_their_signs() -> None:
    found = outline(NORMAL)
    assert detect_format(sample_of(BytesSource("x", NORMAL), "x")).name == "diff"
    assert not found.problems
    assert [found.stats[name] for name in ("files", "hunks", "added", "removed")] == [2, 3, 4, 3]
    assert [section.title for section in found.sections] == ["new/a.txt", "new/c.txt"]
    hunks = [(one.title, one.start_line, one.end_line) for one in found.sections[0].children]
    assert hunks == [("1,2c1,3", 2, 8), ("5d5", 9, 11)]


def test_a_normal_hunk_with_too_few_lines_is_flagged() -> None:
    found = outline(NORMAL.replace(b"> more\n", b""))
    assert [(problem.message, problem.line) for problem in found.problems] == [
        ("the hunk has fewer lines than its head says", 2)
    ]


def test_commits_without_their_diffs_are_listed_with_what_they_change() -> None:
    found = outline(STAT)
    assert detect_format(sample_of(BytesSource("x", STAT), "x")).name == "diff"
    assert found.stats["commits"] == 2
    assert [section.title for section in found.sections] == [
        "012345678901 Say it in a sentence",
        "112345678901 Another",
    ]
    assert found.sections[0].digest.startswith("+8 −4 in 1 file")


def test_a_patch_is_counted_by_its_diff_and_not_by_its_summary_too() -> None:
    mail = (
        b"From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\n"
        b"Date: Mon, 30 Nov 2026 12:00:00 +0000\nSubject: [PATCH] Words\n\n---\n src/main.c | 2 +-\n"
        b" 2 files changed, 3 insertions(+), 1 deletion(-)\n\n"
    )
    assert outline(mail + GIT).sections[0].facts["files"] == 3


def test_of_very_many_files_groups_are_listed_that_list_them() -> None:
    one = (
        b"diff --git a/f%(n)d b/f%(n)d\nindex 1..2 100644\n--- a/f%(n)d\n+++ b/f%(n)d\n"
        b"@@ -1,2 +1,2 @@\n one\n-two\n+three\n@@ -9 +9 @@\n-a\n+b\n"
    )
    analysis = Analysis(BytesSource("x.diff", b"".join(one % {b"n": number} for number in range(40_000))))
    found = analysis.outline()
    assert [found.stats[name] for name in ("files", "hunks", "added", "removed")] == [40_000, 80_000, 80_000, 80_000]
    assert not found.problems
    assert sum(each.count if each.kind == "group" else 1 for each in found.sections) == 40_000
    last = found.sections[-1]
    assert last.title.endswith("f39999")
    members = [each for each in walk(analysis.expand(last)) if each.kind == "file"]
    assert [each.title for each in members] == [f"f{number}" for number in range(40_000 - last.count, 40_000)]
    assert {each.digest for each in members} == {"+2 −2, 2 hunks"}


def test_commits_among_very_many_are_told_apart_from_their_files() -> None:
    one = (
        b"commit %040d\nAuthor: A <a@example.org>\nDate:   Mon Nov 30 12:00:00 2026 +0000\n\n    Words %d\n\n"
        b"diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-two\n+three\n\n"
    )
    found = outline(b"".join(one % (number, number) for number in range(9000)))
    assert [found.stats[name] for name in ("commits", "files", "hunks")] == [9000, 9000, 9000]
    assert sum(each.count if each.kind == "group" else 1 for each in found.sections) == 9000
    assert found.sections[-1].title.endswith("Words 8999")


@pytest.mark.parametrize("stripe_bytes", [1 << 16, 300_000])
def test_what_a_file_holds_does_not_depend_on_where_reads_fall(
    stripe_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = b"diff --git a/f%d b/f%d\nindex 1..2 100644\n--- a/f%d\n+++ b/f%d\n"
    hunk = b"@@ -%d,2 +%d,2 @@\n one\n-two\n+three\n"
    text = b"".join(
        head % (number, number, number, number) + b"".join(hunk % (at, at) for at in range(1, 2 + number % 280 // 2))
        for number in range(1800)
    )
    whole = outline(text)
    monkeypatch.setattr(scan, "STRIPE_BYTES", stripe_bytes)
    again = outline(text)
    assert again.stats == whole.stats
    assert again.sections == whole.sections
