"""Whether text is what a build, a test run or a CI job printed: consoles have no timestamps and no common layout, but
many lines that only tools print."""

from __future__ import annotations

import re
from collections.abc import Sequence

_TYPICAL = re.compile(
    rb"""
      (?:[A-Za-z]:)? [^\s:()"<>|]{1,200} \(\d+(?:[,:.]\s?\d+){0,3}\) \s* : \s? (?:[\w\s]{0,20}?\b)?
          (?:error|warning|note|info|message|remark|hint|\#)            # file(12,3): error
    | (?:[A-Za-z]:)? (?:[^\s:"<>|,]{0,200}\.[A-Za-z]\w{0,7} | [A-Za-z_./\\-]{1,200})
          : \d+ (?:[:.,-]\d+)* : \s* \S                                  # file:12:3: text
    | "[^"]{1,200}\.[A-Za-z]\w{0,7}" , \s? (?:line\s)?\d+ [\s:.,]        # "file", line 12
    | File\ "[^"]{1,200}",\ line\ \d+
    | (?:\d+> )? \s* [^\s:]{1,200} (?:\s:|:)\ (?:fatal\ |internal\ |compilation\ |link(?:er)?\ )?(?:error|warning)
          (?:\ [A-Z]+\d+)? \s? :                                          # tool: error LNK1104:
    | (?:\w[\w.+/-]{0,80}:\s)? (?:fatal\s)?(?:error|warning|note|remark)s? (?:[ #]\w+|\[\w+\])? : \s   # error: text
    | (?:fatal\ |compile\ )?(?:error|warning) \s (?:\[\w|\#?[A-Z]{1,5}\d|\d+|in\s|on\s|at\s)
    | (?:[A-Za-z]:)? [^\s(:]{0,100} \(\d+(?:[,:]\d+)?\) \s? : \s            # file(12) : text
    | \[? (?:INFO|ERROR|WARN|WARNING|DEBUG|FATAL|javac|exec|echo|copy|mkdir|junit|jar|java|delete|cc|scalac|kotlin
        |info|error
          |warn|warning|debug|success|groovyc|EnvInject|Pipeline|CMake|NULL|\s{0,3}\d{1,3}%) \] (?:\s|$)
    | (?:WARNING|ERROR|INFO|NOTE|FATAL|PANIC|Warning|Error|Note|Info|Fatal\ Error|Panic|Severe|Style|Convention): \s*\S
    | \#\ \*\*\ \w+: \s | \d+\.\ (?:WARNING|ERROR|INFO)\ in\ \S | -->\ \S+:\d+ | \d+\s+\|\s | \S+\ \[?[A-Z]\d{3}:\s
    | [ewiEWIFC] : \s (?:file:|\S+:|\(|\d+,)                              # w: file, E: 12,
    | \[\s*\d+[%/]\s*\d*\] \s                                             # [ 12%], [3/40]
    | (?:g?make|ninja|nmake|NMAKE|npm|yarn|pnpm|cargo|pip|mvn|gradle|ant|ld|collect2|clang|gcc|cc1|dpkg|rpm
        |rpmbuild|git|hg
          |svn|curl|tar|configure|libtool|cmake|CMake|MSBUILD|msbuild|CSC|csc|EXEC|LINK|LIB|vite|webpack|tsc
              |eslint|ar|strip
          |lld|ld\.lld(?:-\d+)?|wget|apt|apt-get|dnf|yum|sh|bash|python3?|java|tnsdlx?)(?:\.exe)? (?:\[\d+\])? : \s?
    | (?:npm|yarn)\ (?:ERR!|WARN|notice|info|verb|http|warn|error|timing|sill)
    | (?:\S*/)? (?:gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|ld|ar|javac|msbuild|devenv|cl|link|rustc|go|mvn|npm|make
        |cmake|armcc
          |nagfor|gfortran|ifort|icc|icpc|[\w-]{2,20}-(?:gcc|g\+\+))(?:\.exe|\.bat)? \ {1,3}[-/@\w"]
    | \+{1,4}\ [\w./_"'\[(-]                                              # sh -x
    | (?:\$|PS\ [A-Z]:\\[^>]*>)\ [\w/.] | >\ (?:Task|Configure|\S+@\S+)\s
    | (?:>>|=>|==>|::|~~~|---|\+\+\+|\#\#)\s?(?:\[|\w+ing\b|\w+ed\b|Task)
    | \#\d+\ (?:\[|\d+\.\d+\ |sha256:|DONE|CACHED|extracting|resolve|exporting|ERROR)
    | (?:Step\ \d+/\d+|\ --->\ |Removing\ intermediate|Successfully\ (?:built|tagged|installed))
    | [0-9a-f]{12}:\ (?:Pull|Push|Already|Wait|Download|Verif|Extract|Layer|Prepar)
    | (?:Get|Hit|Ign|Fetched|Err):?\d*\ (?:https?:|\d)
    | (?:Reading\ (?:package|state)|Building\ dependency|Setting\ up\ \S+|Unpacking\ \S+|Preparing\ to\ unpack
        |Selecting\ prev
          |Processing\ triggers|Collecting\ \S+|Requirement\ already|Using\ cached|Installing\ \S|Installed|Installed:
          |Downloading:?\ \S|Downloaded:?\ \S|Fetching\ \S|Cloning\ into|Checking\ out|Receiving\ objects|Resolving\ deltas
          |Compiling\ \S|Checking\ \S|Finished\ |Running\ \S|Executing\ |Executing\(|Wrote:|Processing\ files|Provides:
          |Requires\(|Obsoletes:|Building\ \S|Linking\ \S|Generating\ \S|Creating\ \S|Copying\ \S|Scanning\ \S
              |Parsing\ \S
          |Entering\ dir|Leaving\ dir|Parsing\ |Analyzing\ |Examining\ |Updating\ |Upgrading\ |Verifying\ |Transaction
          |Build\ (?:started|succeeded|FAILED|failed|finished)|Started\ by|Starting\ \S|Using\ \S+\ from|Finished:
          |Compilation\ |compiling\ |Loading\ \S|Testing\ \S|Tests\ run:|Ran\ \d+\ tests|Time\ Elapsed|Total\ time
          |Uploading:?\ |Uploaded:?\ |Progress\ |Child\ return\ code|ENTER\ \[|EXCEPTION:\ \[|Mock\ Version|Start:|Finish:
          |Hunk\ \#|patching\ file|Extracting\ |Skipping\ |Deleting\ |Adding\ |Note:\ |Loaded\ |Reading\ |Saved\
              |Writing\ )
    | checking\ (?:for|whether|if|how|build|host|the|size)\b | config(?:ure|\.status): \s | creating\ \S+$
    | --\ (?:Found|Looking|Performing|Check|Configuring|Generating|Build|The|Detecting|Installing|Up-to-date)
    | BUILD\ (?:SUCCESS|FAIL|STARTED) | FAILURE:\ | \*\ What\ went\ wrong | :\w[\w:-]*(?:\s(?:UP-TO-DATE|FAILED
        |SKIPPED))?$
    | \d+\ (?:errors?|warnings?|failed|passed|tests?|problems?|files?|actionable|error\(s\)|warning\(s\))\b.{0,80}$
    | (?:not\ )?ok\ \d+\b | (?:---\ )?(?:PASS|FAIL|SKIP|RUN)\b[:\s] | ={3,}\s.{0,80}\s={3,}$ | collected\ \d+\ items
    | .{0,120}\s(?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|OK)(?:\s+\[\s*\d+%\])?$ | \S+\.py\ [.FEsx]{1,80}(?:\s|$)
    | In\ file\ included\ from | .{0,200}:\ (?:In|At)\ (?:function|member|top\ level|constructor|static
        |instantiation|global)
    | .{0,200}:\ undefined\ reference | .{0,200}:\ \*\*\*\ | \#error | \*{3}\s\S
    | [\w./+-]+\ \(\d+(?:\.\d+)*[^)]*\)\ ?\.\.\.  | \d+/\d+\s+(?:Test|MB|kB) | \s*\d{1,3}%\s
        | .{0,60}\s\d{1,3}%(?:\s|$|\|)
    | \w{1,4}\d{3,5}:\ \S | \[\w[\w\s.-]{1,40}\]\s\$?\s?\S | <\w+>\s\d | \(\w\)\s
    | \d+>\s?\S | (?:CC|CXX|LD|AR|AS|GEN|CP|LINK|MD|RM|OBJ|CCLD|MKDIR|COPY)\s+\S
    """,
    re.VERBOSE,
)
# Markup, markup's tables, source code, data: one such line counts against two typical ones.
_UNTYPICAL = re.compile(
    rb"""
      \#{1,6}\s\w | ```|~~~$ | \|.*\|$ | [*-]\s\w | \[[\w.-]+\]:\s?http | <[/!?a-zA-Z][^>]*>
    | (?:import|from|package|use|using|require|include|def|class|function|func|fn|pub|public|private|protected
        |static|const|let
        |var|return|struct|enum|interface|typedef|namespace|module|export|if|for|while|else|try
            |switch)\b[\s({].{0,160}[;{:)]?$
    | (?:SELECT|INSERT|CREATE|ALTER|DROP|UPDATE|DELETE|COPY|SET|COMMENT|GRANT)\s\w
    | //|/\*|\*/|\#include|\#define|\#if | [\w.-]+:\s*$ | [\w.-]+:\s[\w"'\[{|>&*!/-] | -\s\w+:
    | ["{}\[\]],?$ | "[^"]*":\s | @@\s | [+-]{3}\s[ab]/ | diff\s--git | \\\w+\{
    """,
    re.VERBOSE,
)


# A compiler's message after a place: `dir\\x.pas(45): Hint warning H2164: ...`, `x.py:docstring of x:22: WARNING: ...`.
_DIAGNOSTIC = re.compile(
    rb"(?:[:(,]\d{1,6}\)?|^PHP|^\w[\w/+]{0,20}:|targets|[\w>)\]] ?:)\s?:?\s{1,2}"
    rb"(?:hint |fatal |internal |syntax |parse |xmldoc )?(?:error|warning|note|notice|hint|information|info"
    rb"|remark|style)"
    rb"(?:\s?[A-Z#]{0,6}\d+(?:-\w)?|\s?\[\w[^\]]*\])?\s*:",
    re.IGNORECASE,
)


def console_share(lines: Sequence[bytes]) -> float:
    """The share of lines (without blank ones) that only a tool prints, less those that only documents or code have.

    Indented lines that no pattern knows (excerpts, help texts) count a third.
    """
    typical = untypical = counted = 0.0
    for line in lines:
        text = line.strip()
        if not text:
            continue
        if _TYPICAL.match(text) or _DIAGNOSTIC.search(text, 0, 300):
            typical += 1
            counted += 1
        else:
            weight = 0.33 if line[:1] in b" \t" or not _WORDS.search(text) else 1.0
            counted += weight
            if _UNTYPICAL.match(text):
                untypical += weight
    if not counted:
        return 0.0
    return max(0.0, (typical - untypical / 2) / counted)


_WORDS = re.compile(rb"[A-Za-z]{2}")
