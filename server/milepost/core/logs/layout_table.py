"""The named log layouts: for each, a pattern of a record's head up to where the message begins.

Groups of a pattern: `level` (or `level2`), `pri` (syslog priority), `status` (HTTP), `sccm` say how grave the record
is; an empty group `m` marks the message's beginning where it is not the pattern's end. Drawn from the formats of lnav
(BSD), the documentation of the programs named, and real samples. Special layouts come before those that would match
their lines too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BLOCKS: dict[bytes, bytes] = {
    b"<ISO>": rb"\d{4}-\d\d-\d\d[T _]\d\d:\d\d:\d\d(?:[.,:]\d{1,9})?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)(?!\w))?",
    b"<SYSTIME>": rb"(?:[A-Z][a-z]{2}|[a-z\x80-\xff]{3,6}\.?) {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})?",
    b"<CLF>": rb"\[\d{1,2}/[A-Za-z\x80-\xff.]{3,7}/\d{4}[: ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?: ?(?:[+-]\d{4}"
    rb"|[A-Z]{1,4}))? ?\]",
    b"<CTIME>": rb"[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:[.:]\d{1,9})? \d{4}",
    b"<SLASHED>": rb"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})?",
    b"<CAPITALS>": rb"(?P<level>TRACE|DEBUG\d?|FINEST|FINER|FINE|CONFIG|VERBOSE|INFO|NOTICE|WARN(?:ING)?|ERROR|SEVERE"
    rb"|CRITICAL|FATAL|OFF)\b",
    b"<WORD>": rb"(?P<level>(?i:trace|debug\d?|verbose|info(?:rmation)?|notice|note|warn(?:ing)?|err(?:or)?|severe"
    rb"|crit(?:ical)?|alert|emerg(?:ency)?|fatal|panic))\b",
    b"<METHOD>": rb"(?:GET|POST|PUT|HEAD|DELETE|OPTIONS|PATCH|PROPFIND|CONNECT|TRACE)",
    b"<TAG>": rb"[\w./()@+-]{1,80}(?: ?\[[^\]]{1,30}\])?",
}
_BLOCK = re.compile(b"|".join(map(re.escape, _BLOCKS)))


@dataclass(frozen=True, slots=True)
class LayoutRule:
    """A named layout. `requires` must match somewhere in the sample; `within` matches lines that look like heads but go
    on with a record; `least_share` of the lines must be explained. `stamped`: the head holds a time."""

    name: str
    title: str
    head: re.Pattern[bytes]
    requires: re.Pattern[bytes] | None = None
    within: re.Pattern[bytes] | None = None
    least_share: float = 0.3
    stamped: bool = True


def _compile(pattern: bytes | None) -> re.Pattern[bytes] | None:
    if pattern is None:
        return None
    return re.compile(_BLOCK.sub(lambda block: _BLOCKS[block[0]], pattern))


def _rule(
    name: str,
    title: str,
    head: bytes,
    *,
    requires: bytes | None = None,
    within: bytes | None = None,
    least_share: float = 0.3,
    stamped: bool = True,
) -> LayoutRule:
    compiled = re.compile(_BLOCK.sub(lambda block: _BLOCKS[block[0]], head))
    return LayoutRule(name, title, compiled, _compile(requires), _compile(within), least_share, stamped)


RULES: tuple[LayoutRule, ...] = (
    # --- system logs
    _rule("syslog-5424", "syslog (RFC 5424)",
          rb"<(?P<pri>\d{1,3})>1 (?:<ISO>|-) \S+ \S+ \S+ \S+ (?:-|(?:\[[^\]]*\])+) ?"),
    _rule("haproxy", "HAProxy log",
          rb"(?:<\d{1,3}>)?<SYSTIME> (?:\S+ )?haproxy\[\d+\]: (?P<m>)"
          rb"(?:\S+ \[[^\]]+\] \S+ \S+ [\d/+-]+ (?P<status>\d{3}) )?", least_share=0.6),
    _rule("exim", "Exim mail log",
          rb"<ISO> (?:\[\d+\] )?(?=\w{6}-\w{6,11}-\w{2,4} |SMTP |Start |End |H=|no host|rejected |login |dovecot"
          rb"|plain_)"),
    _rule("kernel", "kernel log (dmesg)",
          rb"(?:<(?P<pri>\d{1,3})>)?\[ *\d{1,8}\.\d{6}\](?:\[ *[TC]\d+\])? "),
    _rule("xorg", "X.org log",
          rb"\[ *\d{1,8}\.\d{3}\] (?:\((?P<level>II|WW|EE|==|--|\*\*|!!|NI|\?\?)\) )?", requires=rb"\((?:II|==)\)"),
    _rule("auditd", "Linux audit log", rb"(?:node=\S+ )?type=\S* msg=audit\(\d+\.\d+:\d+\): ?"),
    _rule("dpkg", "dpkg log",
          rb"<ISO> (?=(?:status|install|upgrade|remove|purge|configure|trigproc|startup|conffile"
          rb"|update-alternatives:) )"),
    _rule("apt-history", "apt history", rb"Start-Date: (?:<ISO>|\d{4}-\d\d-\d\d  \d\d:\d\d:\d\d)",
          within=rb"(?:End-Date|Commandline|Requested-By|Install|Upgrade|Remove|Purge|Reinstall|Downgrade|Error): ",
          least_share=0.1),
    _rule("yum", "yum log",
          rb"[A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d (?=(?:Installed|Updated|Erased|Obsoleted|Dep-Installed): )"),
    _rule("dnf", "dnf log", rb"<ISO> (?P<level>SUBDEBUG|DDEBUG|DEBUG|INFO|WARNING|ERROR|CRITICAL) (?![\[\w.:]+ - )",
          requires=rb"\b(?:dnf|DNF|rpm|Dependenc|RPM|librepo|hawkey)"),
    _rule("pacman", "pacman log", rb"\[(?:<ISO>|\d{4}-\d\d-\d\d \d\d:\d\d)\] \[(?:ALPM|PACMAN|ALPM-SCRIPTLET)\] "),
    _rule("cups", "CUPS error log", rb"(?P<level>[EWIDNACX]) <CLF> "),
    _rule("cups-page", "CUPS page log", rb"\S+ \S+(?: \S+)? \d+ <CLF> (?=total|\d+ \d+ )"),
    _rule("systemd-boot", "systemd console", rb"\[ *(?:(?P<level>FAILED|DEPEND|WARN|INFO)|OK|TIME|\*+) *\] (?=\S)",
          stamped=False, requires=rb"\[ *(?:OK|FAILED) *\] (?:Start|Reach|Fail|Stopp|Creat|Mount|Found|Finish|List"
          rb"|Clos)"),
    _rule("snort", "Snort or Suricata alerts", rb"\d\d/\d\d(?:/\d\d){0,2}-\d\d:\d\d:\d\d\.\d{6} +\[\*\*\] "),
    _rule("vmkernel", "VMware kernel log",
          rb"<ISO>(?: [A-Z][a-z]\(\d+\)(?:\[\+\])? \S+:)? cpu\d+:\d+(?: opID=\S+)?\)(?:(?P<level>ALERT|WARNING"
          rb"|INFO):)? ?"),
    _rule("esx", "VMware ESXi log",
          rb"\d{4}-\d\d-\d\d(?:T[\d:.]+Z)? (?P<level>[A-Z][a-z])\(\d+\)(?:\[\+\])? [\w.-]+(?:\[\d+\])?(?::|(?= <)) ?"),
    _rule("vmware", "VMware log", rb"<ISO> (?P<level>[a-zA-Z]+) \S+(?:\[\w+\]| \d+) \[Originator@[^\]]*\] "),
    # --- web servers and proxies
    _rule("apache-error", "Apache error log",
          rb"\[<CTIME>\] \[(?:[\w-]*:)?(?P<level>[a-z]\w+)\] (?:\[pid [^\]]*\] )?(?:\[client [^\]]*\] )?"),
    _rule("nginx-error", "nginx error log", rb"<SLASHED> \[(?P<level>\w+)\] \d+#\d+: (?:\*\d+ )?"),
    _rule("access", "web server access log",
          rb'(?:<\d{1,3}>)?(?!\[)[^\["]{2,200}?<CLF> (?P<m>)(?=(?:\S+ )?")(?:\S+ )?'
          rb'"(?:[^"\\]|\\.)*"(?: (?P<status>\d{3})\b)?'),
    _rule("access-iso", "web server access log",
          rb'<ISO> [\d.:a-fA-F]+ \S+ (?P<m>)<METHOD> \S+ -?\d+ (?P<status>\d{3}) '),
    _rule("aws-elb", "AWS load balancer log",
          rb"(?:\w+ )?<ISO> \S+ \S+:\d+ \S+ (?:-?[\d.]+ ){3}(?P<status>\d{3}|-) (?:\d{3}|-) (?:\d+ ){2}"),
    _rule("aws-s3", "AWS S3 access log", rb"[0-9a-f]{64} \S+ <CLF> "),
    _rule("squid", "Squid access log", rb"\d{10}\.\d{3} +\d+ \S+ (?P<m>)\w+/(?P<status>\d{3}) \d+ [A-Z_]+ "),
    _rule("uwsgi", "uWSGI log",
          rb"\[pid: \d+\|app: [^\]]*\] .{0,120}?\] (?P<m>)(?:.*?\(HTTP/[\d.]+ (?P<status>\d{3})\))?"),
    _rule("gunicorn", "Gunicorn log", rb"\[<ISO>\] \[\d+\] \[(?P<level>[A-Z]+)\] "),
    _rule("w3c", "W3C extended log (IIS)",
          rb'#[A-Z][\w-]+:|(?:"?\d{4}-\d\d-\d\d"?[ \t])?"?\d\d:\d\d:\d\d'
          rb'(?:\.\d+)?"?[ \t]',
          requires=rb"#(?:Fields|Version|Software):", least_share=0.2),
    _rule("w3c-rows", "W3C extended log (IIS)",
          rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?=(?:\S+ ){0,4}<METHOD> /)"),
    _rule("zeek", "Zeek (Bro) log", rb"#\w+[\t ]|\d{10}\.\d{6}\t", requires=rb"#(?:separator|fields)[\t ]"),
    # --- data bases
    _rule("postgresql", "PostgreSQL log",
          rb"<ISO>(?: [A-Z][A-Za-z/_+-]{1,30})?[ :]?\S?.{0,200}?(?P<level>DEBUG[1-5]?|LOG|INFO|NOTICE|WARNING|ERROR"
          rb"|FATAL|PANIC):  ",
          within=rb"<ISO>.{0,240}?(?:DETAIL|HINT|STATEMENT|CONTEXT|QUERY|LOCATION):  "),
    _rule("mysql-error", "MySQL error log",
          rb"(?:<ISO>|\d{6} {1,2}\d{1,2}:\d\d:\d\d)(?: \d+)? \[(?P<level>Note|Warning|ERROR|Error|System)\] "
          rb"(?:\[MY-\d+\] )?(?:\[\w+\] )?"),
    _rule("mysql-slow", "MySQL slow query log", rb"# Time: ", requires=rb"# Query_time: ", least_share=0.02,
          within=rb"# (?!Time: )|SET timestamp="),
    _rule("mysql-general", "MySQL general log",
          rb"(?:<ISO>|\d{6} {1,2}\d{1,2}:\d\d:\d\d)?\t+ *\d+ (?=(?:Query|Connect|Quit|Init DB|Prepare|Execute"
          rb"|Close stmt"
          rb"|Field List|Statistics)\b)"),
    _rule("mongodb-json", "MongoDB log (JSON)",
          rb'\{"t":\s?\{"\$date":\s?"[^"]+"\},\s*"s":\s?"(?P<level>[DIWEF]\d?)",(?:.{0,200}?"msg":\s?")?'),
    _rule("mongodb", "MongoDB log",
          rb"(?:<ISO>|<SYSTIME>) (?:(?P<level>[DIWEF]\d?) +[A-Z_]+ +)?\[(?:conn\d+|initandlisten|main|mongosMain"
          rb"|thread\d+|js"
        rb"|signalProcessingThread|rs\w+|[Rr]epl[\w-]*|TTLMonitor|ftdc|clientcursormon|websvr|LockPinger|Balancer)\] "),
    _rule("redis", "Redis log",
          rb"(?:\d+:\S+|\[\d+\]) (?:\d{1,2} [A-Z][a-z]{2} (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d{3})? (?P<level>[.*#-]) "
          rb"|\(\d{10}\) )"),
    # --- Android, Google, Go, Rust
    _rule("logcat", "Android logcat",
          rb"(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,6}(?: [+-]\d{4})? +(?:(?:\w+ +)?\d+ +\d+ (?P<level>[VDIWEFAS]) "
          rb"(?:[^:]{0,80}?: )?|(?P<level2>[VDIWEFAS])/.{0,80}?\( *\d+\): )"),
    _rule("logcat-brief", "Android logcat (brief)", rb"(?P<level>[VDIWEFA])/[^(:]{1,80}\( *\d+\): ", stamped=False),
    _rule("glog", "glog or klog", rb"(?P<level>[IWEFDC])(?:20\d\d)?\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [^\]]{1,200}\] "),
    _rule("zap", "Go zap console log",
          rb"(?:<ISO>|\d{10}\.\d+)\t(?P<level>[A-Za-z]+)\t(?:[\w.-]+\t)?"
          rb"(?:[\w./-]+\.go:\d+\t)?"),
    _rule("go-gc", "Go garbage collector trace", rb"gc \d+ @[\d.]+s \d+%: ", stamped=False),
    _rule("rust-env-logger", "Rust env_logger log", rb"\[(?:<ISO> )?(?P<level>TRACE|DEBUG|INFO|WARN|ERROR) +[\w:]+\] "),
    _rule("rust-tracing", "Rust tracing log",
          rb"<ISO> +(?P<level>TRACE|DEBUG|INFO|WARN|ERROR) [\w:]+"
          rb"(?:\{[^}]*\}[\w:]*)*: "),
    # --- Java
    _rule("jvm-gc", "JVM unified log",
          rb"(?:\[[^\]]{1,40}\]){1,4}\[(?P<level>trace|debug|info|warning|error) *\]\[[\w,+ ]+\] ?"),
    _rule("jvm-gc-old", "JVM garbage collection log (before Java 9)",
          rb"(?:<ISO>: ?)? ?(?:\d{1,8}[.,]\d{3}: ){1,2}(?:#\d+: )?(?=\[|Total time"
          rb"|Application time)", least_share=0.15),
    _rule("spring", "Spring Boot log",
          rb"<ISO> +(?P<level>[A-Z]+) +(?:\d+ --- )?(?:\[[^\]]*\] ?)+[\w.$\[\]/-]+ +: "),
    _rule("zookeeper", "ZooKeeper log",
          rb"<ISO> (?:\[myid:\S*\] )?- (?P<level>[A-Z]+) +\[.{0,160}?[\]@]\d*\]? - (?:)"),
    _rule("elasticsearch", "Elasticsearch log", rb"\[<ISO>\]\[(?P<level>[A-Z]+) *\]\[[^\]]*\] *(?:\[[^\]]*\] ?)?"),
    _rule("tomcat", "Tomcat log", rb"\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d\.\d{3} (?P<level>[A-Z]+) \[[^\]]*\] \S+ "),
    _rule("java-logging", "java.util.logging (two lines a record)",
          rb"[A-Za-z]{3,4}\.? \d{1,2}, \d{4} \d{1,2}:\d\d:\d\d [AP]M (?=[\w.$<>]+)", least_share=0.2),
    _rule("thread-dump", "Java thread dump",
          rb'"[^"]{1,200}" (?:#\d+ )?(?:\[\d+\] )?(?:daemon )?(?:prio=|os_prio=|cpu=|virtual)|Full thread dump ',
          stamped=False, requires=rb"^Full thread dump |java\.lang\.Thread\.State: "),
    _rule("java-wrapper", "Java service wrapper log",
          rb"(?P<level>STATUS|INFO|DEBUG|WARN|ERROR|FATAL|ADVICE) *\| [^|]{1,30}\| <SLASHED> \| "),
    _rule("glassfish", "GlassFish log", rb"\[#\|<ISO>\|(?P<level>\w+)\|"),
    _rule("weblogic", "WebLogic log", rb"####<[^>]+> <(?P<level>\w+)> "),
    _rule("websphere", "WebSphere log",
          rb"\[[\d/.]+ \d+:\d\d:\d\d:\d{3} \w+\] [0-9a-f]{8} \S+ +(?P<level>[IWEAFODRC12>]) +"),
    _rule("spark", "Spark log", rb"\d\d/\d\d/\d\d \d\d:\d\d:\d\d (?P<level>[A-Z]+) [\w.$]+: "),
    _rule("hdfs", "Hadoop HDFS log", rb"\d{6} \d{6} \d+ (?P<level>[A-Z]+) [\w.$]+: "),
    _rule("nextflow", "Nextflow log",
          rb"[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d\.\d{3} \[[^\]]*\] (?P<level>[A-Z]+) +\S+ - "),
    _rule("openam", "OpenAM log", rb'"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"\t'),
    # --- Python, Ruby, PHP
    _rule("openstack", "OpenStack log",
          rb"(?:[\w.-]+\.log\S* )?<ISO> \d+ (?P<level>[A-Z]+) [\w.]+ (?:\[[^\]]*\] )?"),
    _rule("celery", "Celery log", rb"\[<ISO>: (?P<level>[A-Z]+)/[\w-]+\] "),
    _rule("python-logging", "Python logging", rb"<ISO> - [\w.-]+ - <CAPITALS> - "),
    _rule("python-basic", "Python logging", rb"(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL):[\w.]+:", stamped=False),
    _rule("vdsm", "VDSM log", rb"[\w-]+::<CAPITALS>::<ISO>::(?:[\w.-]+::)*(?:\(\w+\) )?"),
    _rule("ruby-logger", "Ruby logger", rb"[DIWEFA], \[<ISO> #\d+\] +(?P<level>[A-Z]+) -- [^:]*: "),
    _rule("monolog", "Monolog (Laravel) log", rb"\[<ISO>\] [\w.-]+\.(?P<level>[A-Z]+): "),
    # --- Windows and .NET
    _rule("cbs", "Windows servicing log (CBS)",
          rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d, (?P<level>[A-Z]\w+) +"
          rb"(?:[A-Z]{2,8} +)?"),
    _rule("sccm", "Configuration Manager log",
          rb'<!\[LOG\[(?P<m>)(?:.{0,4000}?\]LOG\]!>.{0,200}? type="(?P<sccm>\d)")?', least_share=0.05),
    _rule("setupapi", "Windows device installation log", rb">>>  \[|\[Boot Session: |\[Device Install Log\]",
          requires=rb">>>  Section start|^\[Device Install Log\]", within=rb"<<<|>>>  S|[!.]", least_share=0.005),
    _rule("dotnet", ".NET console log (two lines a record)",
          rb"(?P<level>trce|dbug|info|warn|fail|crit): [\w.`+<>,-]+\[\d+\]", stamped=False),
    _rule("serilog", "Serilog log",
          rb"(?:<ISO>(?: [+-]\d\d:\d\d)?|\[\d\d:\d\d:\d\d) \[?(?P<level>VRB|DBG|INF|WRN|ERR|FTL|(?:Verbose|Debug"
          rb"|Information"
          rb"|Warning|Error|Fatal)(?=\]))\] "),
    _rule("windows-event", "Windows event text", rb"Event\[\d+\]:?|Log Name: +\S", stamped=False, least_share=0.02,
          requires=rb"(?:Event ID|Source): "),
    # --- containers and CI
    _rule("strace", "strace output",
          rb"(?:\[pid +\d+\] |\d+ +)?(?:\d\d:\d\d:\d\d(?:\.\d+)? |\d{10}\.\d{6} )(?=\w+\(|<\.\.\. |---|\+\+\+)"),
    _rule("strace-plain", "strace output", rb"(?:\[pid +\d+\] )?\w+\(.*\) += (?:-?\d|0x|\?)", stamped=False),
    # --- research and others
    _rule("bgl", "Blue Gene/L log",
          rb"\S+ \d{10} \d{4}\.\d\d\.\d\d \S+ \d{4}-\d\d-\d\d-\d\d\.\d\d\.\d\d\.\d+ \S+ \S+ \S+ (?P<level>[A-Z]+) "),
    _rule("thunderbird", "cluster syslog (Thunderbird)",
          rb"\S+ \d{10} \d{4}\.\d\d\.\d\d \S+ <SYSTIME> \S+ "
          rb"(?:<TAG>: )?"),
    _rule("hpc", "HPC cluster log", rb"\d+ \S+ [\w.-]+ [\w.-]+ \d{9,10} \d+ "),
    _rule("health", "HealthApp log", rb"\d{8}-\d{1,2}:\d{1,2}:\d{1,2}:\d{1,3}\|[^|]*\|\d+\|"),
    _rule("proxifier", "Proxifier log", rb"\[\d\d\.\d\d \d\d:\d\d:\d\d\] .{1,60}? - "),
    _rule("sssd", "SSSD log",
          rb"\((?:<CTIME>|<ISO>|[\d-]+  ?\d+:\d\d:\d\d)\):? .{1,120}? \("
          rb"(?P<level>0x[0-9a-f]{4})\): "),
    _rule("erlang", "Erlang report log", rb"=(?P<level>[A-Z]+) REPORT==== .{10,40} ==="),
    _rule("tcf", "Eclipse TCF log", rb"TCF \d\d:\d\d\.\d+: "),
    _rule("shell-history", "shell history with times", rb"#\+?\d{10}$|: \d{10}:\d+;", least_share=0.4),
    _rule("logfmt", "logfmt",
          rb"(?:\S+ +\| )?(?=[\w.@-]+=)(?=(?:.{0,400}?\b)(?:level|lvl|severity)=\"?(?P<level>\w+))(?=.{0,400}?"
          rb"\b(?:ts|t|time|timestamp|msg|message|logger)=)(?:.{0,600}?\b(?:msg|message)=\"?)?"),
    # --- the large families, after all that would match them too
    _rule("chromeos", "Chrome OS syslog", rb"<ISO> (?P<level>EMERG|ALERT|CRIT|ERR|WARNING|NOTICE|INFO|DEBUG) <TAG>: "),
    _rule("log4j", "log4j or logback style",
          rb"\[?<ISO>\]?[ |]{1,3}(?:\[.{0,100}?\] ?(?:- )?|(?:[\w.:=#/-]{1,60}|\|) +){0,3}?[|[ ]{0,3}<CAPITALS>"
          rb"[\] |:]{1,8}(?:\[[^\]]{0,120}\]:? ?)*(?:(?:- )?[\w.$/@-]+ *(?:\([^)]{0,80}\))?(?: -+|:) )?"),
    _rule("iso-level", "time and level",
          rb"[\[(]?<ISO>[\])]?[ \t:|-]{0,3}\[?<WORD>[\])]?[ \t:|-]{1,8}(?:\[[^\]]{0,80}\] ?)*"),
    _rule("go-log", "Go log", rb"<SLASHED> (?:[\w./-]+\.go:\d+: )?", requires=rb"\.go:\d+: |\bhttp: |goroutine|panic:"),
    _rule("syslog-iso", "syslog with ISO times",
          rb"(?:<(?P<pri>\d{1,3})><ISO> \S+ (?:<TAG>:? )|<ISO> [\w.:-]+ (?:<TAG>: ?|[\w./-]+ \d+ (?:[\w-]+ )(?:-"
          rb"|\[[^\]]*\]) ))"),
    _rule("journal", "journal with weekday", rb"[A-Z][a-z]{2} <ISO>(?: [A-Z]{3,5})? \S+ <TAG>: "),
    _rule("syslog", "syslog (RFC 3164)",
          rb"(?:<(?P<pri>\d{1,3})>)?[*.[]?<SYSTIME>\]?:?(?: \d{4})?(?: [A-Z]{3,4})?:? {1,4}"
          rb"(?:<?\w+\.(?P<level>emerg|alert|crit|err|error|warn|warning|notice|info|debug)>? )?"
          rb"(?:(?!<TAG>:)\S+ +)?(?:\w+\.(?P<level2>emerg|alert|crit|err|error|warn|warning|notice|info|debug) )?"
          rb"(?:<TAG>(?: \([^)]{1,160}\))?(?::| <\w+>:?) ?)?(?:\[ *\d+\.\d{6}\] )?"),
    _rule("dmesg-ctime", "kernel log with times",
          rb"\[<CTIME>\] ", requires=rb"\b(?:usb|cpu|ACPI|pci|kernel|memory"
          rb"|Linux)"),
    _rule("npm-debug", "npm debug log",
          rb"\d+ (?P<level>silly|verbose|info|http|timing|notice|warn|error) ", stamped=False, least_share=0.6),
    _rule("level-lines", "lines with a level", rb"<CAPITALS>:? +(?:[\w./-]+:\d+:\s+|\[[^\]]{1,60}\] )",
          stamped=False, least_share=0.6),
)  # fmt: skip
"""All named layouts, the special before the general."""

PREFIXES: tuple[LayoutRule, ...] = (
    _rule("cri", "Kubernetes container log", rb"<ISO> (?:stdout|stderr) [FP] ", least_share=0.6),
    _rule("github-actions", "GitHub Actions log",
          rb"(?:[^\t]{1,80}\t[^\t]{1,80}\t)?(?:\xef\xbb\xbf)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z ",
          requires=rb"Z (?:##\[|shell:|Current runner|Run |\[command\])", least_share=0.6),
    _rule("gitlab-ci", "GitLab job log", rb"<ISO> \d\d[OE][ +]", least_share=0.6),
    _rule("docker-compose", "docker compose log",
          rb"(?!(?:INFO|STATUS|ERROR|WARN|WARNING|DEBUG|TRACE"
          rb"|FATAL)\b)[\w.-]{1,60} +\| (?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6,9}Z )?", least_share=0.6,
          requires=rb"^[\w.-]{1,60}(?:-\d+ +|_\d+ +| {2,})\| "),
)  # fmt: skip
"""What collectors put before every line of another log."""
