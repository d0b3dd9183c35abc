"""What a binary file is, by its first bytes.

Signatures are those the formats' own specifications give, as `file(1)` knows them.
"""

from __future__ import annotations

# (offset, signature, name). Signatures that a text could begin with are in `_WEAK`.
_CERTAIN: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x1f\x8b\x08", "gzip"),
    (0, b"\x1f\x9d", "compress"),
    (0, b"\x28\xb5\x2f\xfd", "zstd"),
    (0, b"\xfd7zXZ\x00", "xz"),
    (0, b"\x04\x22\x4d\x18", "lz4"),
    (0, b"\xff\x06\x00\x00sNaPpY", "snappy"),
    (0, b"7z\xbc\xaf\x27\x1c", "7-zip archive"),
    (0, b"Rar!\x1a\x07", "RAR archive"),
    (0, b"PK\x03\x04", "zip archive"),
    (0, b"PK\x05\x06", "zip archive"),
    (257, b"ustar\x00", "tar archive"),
    (257, b"ustar  \x00", "tar archive"),
    (0, b"!<arch>\n", "ar archive"),
    (0, b"\xed\xab\xee\xdb", "RPM package"),
    (0, b"\x89PNG\r\n\x1a\n", "PNG image"),
    (0, b"\xff\xd8\xff", "JPEG image"),
    (0, b"GIF87a", "GIF image"),
    (0, b"GIF89a", "GIF image"),
    (0, b"II*\x00", "TIFF image"),
    (0, b"MM\x00*", "TIFF image"),
    (0, b"%PDF-", "PDF document"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Microsoft compound document"),
    (0, b"\x7fELF", "ELF program"),
    (0, b"\xcf\xfa\xed\xfe", "Mach-O program"),
    (0, b"\xca\xfe\xba\xbe", "Java class or Mach-O program"),
    (0, b"\x00asm", "WebAssembly module"),
    (0, b"SQLite format 3\x00", "SQLite database"),
    (0, b"\x89HDF\r\n\x1a\n", "HDF5 data"),
    (0, b"\x93NUMPY", "NumPy array"),
    (0, b"Obj\x01", "Avro data"),
    (0, b"ARROW1\x00\x00", "Arrow data"),
    (0, b"PGDMP", "PostgreSQL custom dump"),
    (0, b"JAVA PROFILE 1.0.", "Java heap dump"),
    (0, b"LPKSHHRH", "systemd journal"),
    (0, b"ElfFile\x00", "Windows event log"),
    (0, b"\xd4\xc3\xb2\xa1", "pcap capture"),
    (0, b"\xa1\xb2\xc3\xd4", "pcap capture"),
    (0, b"\x0a\x0d\x0d\x0a", "pcapng capture"),
    (0, b"wOF2", "WOFF2 font"),
    (0, b"\x1aE\xdf\xa3", "Matroska video"),
    (4, b"ftypisom", "MP4 video"),
    (4, b"ftypmp4", "MP4 video"),
    (4, b"ftypM4A", "MP4 audio"),
)

# Letters only: named so once other bytes have told that the file is binary.
_WEAK: tuple[tuple[int, bytes, str], ...] = (
    (0, b"BZh", "bzip2"),
    (0, b"LZIP", "lzip"),
    (0, b"PAR1", "Parquet data"),
    (0, b"ORC", "ORC data"),
    (0, b"MZ", "Windows program"),
    (0, b"OggS", "Ogg audio"),
    (0, b"ID3", "MP3 audio"),
    (0, b"fLaC", "FLAC audio"),
    (8, b"WEBP", "WebP image"),
    (8, b"WAVE", "WAV audio"),
    (0, b"wOFF", "WOFF font"),
    (0, b"BM", "BMP image"),
)

_COMPRESSED_BY: dict[str, str] = {
    "gzip": "gunzip",
    "compress": "uncompress",
    "zstd": "unzstd",
    "xz": "unxz",
    "lz4": "unlz4",
    "bzip2": "bunzip2",
    "lzip": "lunzip",
    "zip archive": "unzip",
    "7-zip archive": "7z x",
    "tar archive": "tar xf",
    "RAR archive": "unrar x",
}


def certain_binary_type(head: bytes) -> str:
    """The name of a type whose signature no text begins with, or ""."""
    return _first_match(_CERTAIN, head)


def binary_type(head: bytes) -> str:
    """The name of a binary file's type ("gzip", "PNG image"), or "" where no signature fits its first bytes.

    Only for files that are known to be binary: some signatures are mere letters.
    """
    return _first_match(_CERTAIN, head) or _first_match(_WEAK, head)


def decompressor_of(type_name: str) -> str:
    """The command that unpacks a file of this type, or "" where it is not compressed."""
    return _COMPRESSED_BY.get(type_name, "")


def _first_match(table: tuple[tuple[int, bytes, str], ...], head: bytes) -> str:
    return next((name for offset, signature, name in table if head.startswith(signature, offset)), "")
