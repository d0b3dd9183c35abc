#!/usr/bin/env bash
# A syslog file as rsyslog writes it in the traditional form, fed by `logger` and by real cron-like jobs.
# Needs Debian's rsyslog (run on a private socket, the machine's own is not touched). Usage: syslog.sh OUTPUT.log
set -euo pipefail

output=$(realpath -m "$1")
folder=/tmp/capture-syslog
rm -rf "$folder" && mkdir -p "$folder"
cat >"$folder/rsyslog.conf" <<CONF
global(workDirectory="$folder" localHostname="web01")
module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="$folder/log.sock" CreatePath="on" RateLimit.Interval="0" UseSysTimeStamp="off")
template(name="traditional" type="string" string="%TIMESTAMP% %HOSTNAME% %syslogtag%%msg:::sp-if-no-1st-sp%%msg:::drop-last-lf%\n")
*.* action(type="omfile" file="$folder/syslog" template="traditional")
CONF
rsyslogd -n -f "$folder/rsyslog.conf" -i "$folder/pid" 2>/dev/null &
server=$!
until [ -S "$folder/log.sock" ]; do sleep 0.1; done
say() { logger -u "$folder/log.sock" -t "$1" -p "$2" --id=$((1000 + RANDOM % 90)) "$3"; }
for round in $(seq 1 220); do
  say CRON cron.info "(backup) CMD (/usr/local/bin/backup --slot $((round % 7)))"
  [ $((round % 3)) = 0 ] && say sshd auth.info "Accepted publickey for deploy from 192.0.2.$((round % 250)) port $((40000 + round * 13)) ssh2"
  [ $((round % 5)) = 0 ] && say sshd auth.notice "Failed password for invalid user admin from 198.51.100.$((round % 250)) port $((50000 + round * 7)) ssh2"
  [ $((round % 40)) = 0 ] && say backup user.err "error: write failed: No space left on device (slot $((round % 7)))"
  [ $((round % 64)) = 0 ] && say mdadm daemon.crit "Fail event detected on md device /dev/md0, component device /dev/sdb1"
  [ $((round % 9)) = 0 ] && say systemd daemon.info "Started Session $round of user deploy."
  [ "$round" = 150 ] && sleep 3
done
sleep 1
kill "$server" && wait "$server" || true
cp "$folder/syslog" "$output"
rm -rf "$folder"
