"""The backend and the visitors of nginx.sh: `nginx_load.py backend` or `nginx_load.py load COUNT SEED`."""

from __future__ import annotations

import http.client
import http.server
import random
import socket
import sys
import time

PAGES = ["/", "/index.html", "/catalogue.bin", "/missing.png", "/private/", "/api/orders", "/api/slow", "/api/upload"]
AGENTS = [
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "curl/8.5.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15",
    "shop-crawler/2.1 (+http://crawler.example/about)",
]


class Backend(http.server.BaseHTTPRequestHandler):
    """Answers quickly, except for /api/slow, which sometimes exceeds the proxy's time limit."""

    def do_GET(self) -> None:
        if self.path.startswith("/api/slow"):
            time.sleep(random.choice([0.01, 0.01, 1.4]))
        try:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}\n")
        except BrokenPipeError:
            pass

    do_POST = do_GET  # noqa: N815

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


def visit(chance: random.Random) -> None:
    """One request of one visitor."""
    page = chance.choices(PAGES, weights=[8, 8, 3, 2, 1, 8, 1, 1])[0]
    if chance.random() < 0.02:
        with socket.create_connection(("127.0.0.1", 18080)) as raw:
            raw.sendall(b"GET / HTTP/1.1\r\nHost shop\r\n\r\n")
            raw.recv(1000)
        return
    connection = http.client.HTTPConnection("127.0.0.1", 18080, timeout=5)
    headers = {"User-Agent": chance.choice(AGENTS), "Referer": chance.choice(["-", "http://shop.example/"])}
    if page == "/api/upload":
        connection.request("POST", page, body=b"x" * chance.choice([200, 4000]), headers=headers)
    else:
        connection.request("GET", f"{page}?id={chance.randrange(10_000)}", headers=headers)
    connection.getresponse().read()
    connection.close()


def main() -> None:
    """Be the backend, or the visitors."""
    if sys.argv[1] == "backend":
        http.server.ThreadingHTTPServer(("127.0.0.1", 18081), Backend).serve_forever()
    chance = random.Random(int(sys.argv[3]))
    for _ in range(int(sys.argv[2])):
        visit(chance)
        time.sleep(0.01)


if __name__ == "__main__":
    main()
