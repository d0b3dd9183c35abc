#!/usr/bin/env bash
# nginx as a proxy under a small load, with a backend that goes away: access log (combined) and error log.
# Needs Debian's nginx-light. Usage: nginx.sh ACCESS.log ERROR.log
set -euo pipefail

access=$(realpath -m "$1")
error=$(realpath -m "$2")
here=$(cd "$(dirname "$0")" && pwd)
folder=/tmp/capture-nginx
rm -rf "$folder" "$access" "$error" && mkdir -p "$folder/www/private"
echo '<h1>shop</h1>' >"$folder/www/index.html"
head -c 300000 /dev/zero >"$folder/www/catalogue.bin"
chmod 755 "$folder" "$folder/www" && chmod 700 "$folder/www/private"
cat >"$folder/nginx.conf" <<CONF
worker_processes 2;
pid $folder/nginx.pid;
error_log $error info;
events { worker_connections 64; }
http {
  access_log $access combined;
  client_max_body_size 1k;
  proxy_read_timeout 1s;
  limit_req_zone \$binary_remote_addr zone=api:1m rate=40r/s;
  server {
    listen 127.0.0.1:18080;
    root $folder/www;
    location /api/ { limit_req zone=api burst=5; proxy_pass http://127.0.0.1:18081; }
  }
}
CONF
/usr/bin/python3 "$here/nginx_load.py" backend &
backend=$!
nginx -c "$folder/nginx.conf" -p "$folder" 2>/dev/null
sleep 0.5
/usr/bin/python3 "$here/nginx_load.py" load 350 1
kill "$backend" && wait "$backend" 2>/dev/null || true
/usr/bin/python3 "$here/nginx_load.py" load 120 2
nginx -c "$folder/nginx.conf" -p "$folder" -s reload 2>/dev/null
sleep 0.5
/usr/bin/python3 "$here/nginx_load.py" load 150 3
nginx -c "$folder/nginx.conf" -p "$folder" -s quit 2>/dev/null
sleep 1
rm -rf "$folder"
