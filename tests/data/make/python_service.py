"""A service that logs with Python's logging and fails in several ways. Usage: see captures.sh."""

from __future__ import annotations

import json
import logging
import random
import sqlite3
import threading
import time
import warnings

LOG = logging.getLogger("shop.importer")
CHANCE = random.Random(11)


class ImportFailed(Exception):
    """A batch could not be imported."""


def read_price(row: dict[str, str]) -> float:
    """The price of one row; fails for rows of a broken export."""
    return float(row["price"])


def import_batch(number: int) -> int:
    """Import one batch; every now and then a row is broken in one of three ways."""
    rows = [{"article": f"A-{CHANCE.randrange(10_000)}", "price": f"{CHANCE.random() * 90:.2f}"} for _ in range(20)]
    if number % 37 == 0:
        del rows[3]["price"]
    if number % 53 == 0:
        rows[5]["price"] = "12,50 €"
    try:
        return round(sum(read_price(row) for row in rows))
    except KeyError as problem:
        raise ImportFailed(f"batch {number} has a row without a price") from problem


def store(number: int) -> None:
    """Write to a table that is not there."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("INSERT INTO batches VALUES (?)", (number,))
    except sqlite3.OperationalError:
        LOG.error("batch %d was not stored, it is kept for the next run", number, exc_info=True)
        json.loads('{"retry": tru}')


def handle(number: int) -> None:
    """One batch, with the log lines that a real service would write."""
    LOG.debug("batch %d: %d rows read from /srv/import/batch-%05d.csv", number, 20, number)
    try:
        total = import_batch(number)
    except ImportFailed:
        LOG.exception("import of batch %d failed", number)
        return
    except ValueError as problem:
        LOG.warning("batch %d skipped: %s", number, problem)
        return
    LOG.info("batch %d imported, total %d EUR in %.1f ms", number, total, CHANCE.random() * 30)
    if number == 150:
        try:
            store(number)
        except ValueError:
            LOG.critical("the retry list is broken, giving up on it", exc_info=True)


def main() -> None:
    """Import 260 batches, with a pause in the middle, a thread that dies and an unhandled end."""
    logging.basicConfig(level=logging.DEBUG, format="%(asctime)s %(levelname)-8s %(name)s[%(process)d]: %(message)s")
    logging.captureWarnings(True)
    LOG.info("importer 2.4.1 starts, log level DEBUG")
    for number in range(1, 261):
        handle(number)
        if number == 90:
            warnings.warn("the old export format goes away in release 3", DeprecationWarning, stacklevel=1)
            warnings.warn("the price list is older than a day", stacklevel=1)
        if number == 130:
            worker = threading.Thread(target=lambda: {}["tariff"], name="tariffs")
            worker.start()
            worker.join()
            time.sleep(3)
        time.sleep(0.01)
    raise SystemExit(import_batch(37 * 8))


if __name__ == "__main__":
    main()
