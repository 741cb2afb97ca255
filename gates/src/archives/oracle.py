# What Python sees in archives: reads `[format, path]` lines, writes one JSON value for each.
import json
import posixpath
import stat
import sys
import tarfile
import zipfile
import zlib


def normal(name):
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return posixpath.normpath(text)


def files(kind, path):
    found = {}
    if kind == "tar":
        with tarfile.open(path, "r:gz") as archive:
            for member in archive.getmembers():
                if member.isreg():
                    found[normal(member.name)] = zlib.crc32(archive.extractfile(member).read())
    else:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if not member.is_dir() and not stat.S_ISLNK(member.external_attr >> 16):
                    found[normal(member.filename)] = zlib.crc32(archive.read(member))
    return found


for line in sys.stdin:
    try:
        print(json.dumps(files(*json.loads(line))))
    except Exception as error:
        print(json.dumps(f"{type(error).__name__}: {error}"))
