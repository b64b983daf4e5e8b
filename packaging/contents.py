"""What goes into every package: the program, what it prints about itself, and the licences."""

import dataclasses
import gzip
import os
import pathlib
import platform
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUMMARY = "Finds what makes deep-learning code slow or wrong, before it runs"

# Debian packages whose libraries are in the static program, for their licences. glibc, gcc's runtime libraries and those that
# packaging/static_libraries compiles are among them.
LIBRARIES = ("libfmt-dev libsimdjson-dev libmimalloc-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libicu-dev libsqlite3-dev "
             "liblinear-dev libblas-dev libarchive-dev libxml2-dev nettle-dev libacl1-dev liblzma-dev libzstd-dev liblz4-dev libbz2-dev "
             "zlib1g-dev libgit2-dev libmbedtls-dev libhttp-parser-dev libssh2-1-dev libssl-dev libpcre2-dev "
             "libc6-dev libstdc++-12-dev").split()


@dataclasses.dataclass
class Contents:
    version: str
    machine: str  # as the kernel calls it
    time: int  # of every file, so that the same commit gives the same bytes
    binary: bytes
    manual: bytes
    completions: dict  # by shell
    license: bytes
    libraries: bytes  # their licences
    readme: bytes
    changelog: bytes


def project_version():
    return re.search(r"project\(deepperf VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def commit_time():
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    found = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True, check=False)
    return int(found.stdout) if found.returncode == 0 else int((ROOT / "CMakeLists.txt").stat().st_mtime)


def library_licenses():
    parts = ["The program contains these libraries, as Debian packages them. Some are under the GNU LGPL: the program can be relinked\n"
             "with other versions of them from its source, with packaging/static_libraries and tools/package.\n"]
    for name in LIBRARIES:
        path = pathlib.Path("/usr/share/doc", name, "copyright")
        if path.exists():
            parts.append(f"{'=' * 80}\n{name}\n{'=' * 80}\n\n{path.read_text(encoding='utf-8', errors='replace')}")
    return "\n".join(parts).encode()


def gather(binary):
    def printed(*arguments):
        return subprocess.run([binary, *arguments], capture_output=True, check=True).stdout

    return Contents(version=project_version(), machine=platform.machine(), time=commit_time(),
                    binary=pathlib.Path(binary).read_bytes(), manual=printed("manual"),
                    completions={shell: printed("completion", shell) for shell in ("bash", "zsh", "fish")},
                    license=(ROOT / "LICENSE").read_bytes(), libraries=library_licenses(),
                    readme=(ROOT / "README.md").read_bytes(), changelog=(ROOT / "CHANGELOG.md").read_bytes())


def compressed(data):
    return gzip.compress(data, 6, mtime=0)
