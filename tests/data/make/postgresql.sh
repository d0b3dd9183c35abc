#!/usr/bin/env bash
# The log of a PostgreSQL 15 server under pgbench: failing statements, a deadlock, a backend killed with SIGKILL and the
# crash recovery after it. Run as root on Debian 12 with package postgresql: bash postgresql.sh OUTPUT.log
set -euo pipefail

output=$(realpath -m "$1")
bin=/usr/lib/postgresql/15/bin
folder=$(mktemp -d /tmp/capture-postgresql.XXXX)
chown postgres "$folder"
as_postgres() { su postgres -s /bin/bash -c "cd $folder; export PGHOST=$folder PGPORT=54329 PATH=$bin:\$PATH; $1"; }

as_postgres "initdb -D data -A trust >/dev/null"
cat >>"$folder/data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$folder'
port = 54329
log_timezone = 'UTC'
log_line_prefix = '%m [%p] %q%u@%d '
log_checkpoints = on
log_connections = on
log_disconnections = on
log_lock_waits = on
deadlock_timeout = 200ms
log_transaction_sample_rate = 0.002
checkpoint_timeout = 30s
max_wal_size = 32MB
CONF
as_postgres "pg_ctl -D data -l server.log -w start >/dev/null"
as_postgres "createdb shop && pgbench -q -i -s 2 shop 2>/dev/null"

as_postgres "pgbench -c 4 -T 12 shop >/dev/null 2>&1" &
cat >"$folder/faults.sql" <<'SQL'
CREATE TABLE orders (id int PRIMARY KEY, customer text NOT NULL, total numeric CHECK (total >= 0));
INSERT INTO orders VALUES (1, 'ada', 12.50), (2, 'grace', 80);
INSERT INTO orders VALUES (2, 'linus', 7);
INSERT INTO orders VALUES (3, NULL, 7);
INSERT INTO orders VALUES (4, 'ken', -1);
SELECT customer, total / 0 FROM orders;
SELECT nothing FROM orders;
SELECT o.id, o.customer, sum(o.total) AS total
  FROM orders o
  JOIN customers c ON c.name = o.customer
 GROUP BY o.id, o.customer
 ORDER BY total DESC;
SELECT * FORM orders;
DO $$ BEGIN RAISE EXCEPTION 'stock of article % is negative: %', 4711, -3 USING HINT = 'Run the stock count again.'; END $$;
DO $$ BEGIN RAISE WARNING 'price list is % days old', 42; END $$;
SET statement_timeout = '150ms'; SELECT pg_sleep(5);
SELECT '2024-02-30'::date;
SQL
cat >"$folder/lock_a.sql" <<'SQL'
BEGIN; UPDATE orders SET total = total + 1 WHERE id = 1; SELECT pg_sleep(0.4); UPDATE orders SET total = total + 1 WHERE id = 2; COMMIT;
SQL
cat >"$folder/lock_b.sql" <<'SQL'
BEGIN; UPDATE orders SET total = total + 1 WHERE id = 2; SELECT pg_sleep(0.4); UPDATE orders SET total = total + 1 WHERE id = 1; COMMIT;
SQL
sleep 2
as_postgres "psql -q -f faults.sql shop >/dev/null 2>&1" || true
as_postgres "psql -q -f lock_a.sql shop >/dev/null 2>&1" &
as_postgres "psql -q -f lock_b.sql shop >/dev/null 2>&1" || true
as_postgres "psql -q nowhere >/dev/null 2>&1" || true
sleep 6
victim=$(as_postgres "psql -AtX -c \"SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name = 'pgbench' LIMIT 1\" shop")
kill -KILL "$victim"
sleep 3
wait || true
as_postgres "pgbench -c 2 -T 5 shop >/dev/null 2>&1"
as_postgres "pg_ctl -D data -m fast -w stop >/dev/null"
cp "$folder/server.log" "$output"
rm -rf "$folder"
