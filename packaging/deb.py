"""A Debian package. It needs no other package, since the program is static."""

import hashlib
import io

from archive import packed, tar
from contents import SUMMARY, compressed

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def installed_files(contents):
    doc = "usr/share/doc/deepperf"
    copyright_text = b"DeepPerf's own licence:\n\n" + contents.license + b"\n" + contents.libraries
    return {
        "usr/bin/deepperf": (contents.binary, 0o755),
        "usr/share/man/man1/deepperf.1.gz": (compressed(contents.manual), 0o644),
        "usr/share/bash-completion/completions/deepperf": (contents.completions["bash"], 0o644),
        "usr/share/zsh/vendor-completions/_deepperf": (contents.completions["zsh"], 0o644),
        "usr/share/fish/vendor_completions.d/deepperf.fish": (contents.completions["fish"], 0o644),
        f"{doc}/copyright": (copyright_text, 0o644),
        f"{doc}/changelog.gz": (compressed(contents.changelog), 0o644),
        f"{doc}/README.md": (contents.readme, 0o644),
    }


def ar_member(name, data, time):
    header = f"{name:<16}{time:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode()
    return header + data + b"\n" * (len(data) % 2)


def build(contents, folder):
    files = installed_files(contents)
    architecture = ARCHITECTURES.get(contents.machine, contents.machine)
    kilobytes = sum(-(-len(data) // 1024) for data, _ in files.values())
    control = f"""Package: deepperf
Version: {contents.version}
Architecture: {architecture}
Maintainer: The DeepPerf authors <authors@deepperf.invalid>
Installed-Size: {kilobytes}
Section: devel
Priority: optional
Description: {SUMMARY}
 A static checker for code that uses TensorFlow, Keras, PyTorch or JAX. It
 reports problems in a terminal, in editors through the Language Server
 Protocol, and in CI as SARIF, JUnit or HTML, and fixes many of them.
"""
    sums = "".join(f"{hashlib.md5(data).hexdigest()}  {path}\n" for path, (data, _) in sorted(files.items()))
    control_tar = tar({"control": (control.encode(), 0o644), "md5sums": (sums.encode(), 0o644)}, contents.time, "./")
    out = io.BytesIO(b"")
    out.write(b"!<arch>\n")
    out.write(ar_member("debian-binary", b"2.0\n", contents.time))
    out.write(ar_member("control.tar.xz", packed(control_tar), contents.time))
    out.write(ar_member("data.tar.xz", packed(tar(files, contents.time, "./")), contents.time))
    path = folder / f"deepperf_{contents.version}_{architecture}.deb"
    path.write_bytes(out.getvalue())
    return path
