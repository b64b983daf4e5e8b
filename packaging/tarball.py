"""A folder to unpack anywhere: bin/deepperf runs where it is."""

from archive import packed, tar


def build(contents, folder):
    name = f"deepperf-{contents.version}-linux-{contents.machine}"
    files = {
        "bin/deepperf": (contents.binary, 0o755),
        "share/man/man1/deepperf.1": (contents.manual, 0o644),
        "share/bash-completion/completions/deepperf": (contents.completions["bash"], 0o644),
        "share/zsh/site-functions/_deepperf": (contents.completions["zsh"], 0o644),
        "share/fish/vendor_completions.d/deepperf.fish": (contents.completions["fish"], 0o644),
        "share/doc/deepperf/LICENSE": (contents.license, 0o644),
        "share/doc/deepperf/LICENSES-OF-LIBRARIES": (contents.libraries, 0o644),
        "share/doc/deepperf/README.md": (contents.readme, 0o644),
        "share/doc/deepperf/CHANGELOG.md": (contents.changelog, 0o644),
    }
    path = folder / f"{name}.tar.xz"
    path.write_bytes(packed(tar(files, contents.time, name + "/")))
    return path
