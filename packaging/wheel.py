"""A Python wheel that puts the program on PATH, and lets `python -m deepperf` find it. No Python code is needed to run it."""

import base64
import hashlib
import io
import time
import zipfile

from contents import SUMMARY

MAIN = '''"""`python -m deepperf`: runs the program that is installed beside this interpreter."""

import os
import sys
import sysconfig


def find_program():
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    # `pip install --target DIR` puts programs below DIR.
    folders.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin"))
    for folder in folders:
        path = os.path.join(folder, "deepperf")
        if os.path.isfile(path):
            return path
    raise FileNotFoundError("deepperf is not in " + ", ".join(folders))


if __name__ == "__main__":
    program = find_program()
    os.execv(program, [program, *sys.argv[1:]])
'''


def platform_tags(machine):
    """The program is static, so it runs with any C library; the oldest that installers still know are glibc 2.17 and musl 1.1."""
    return [f"manylinux_2_17_{machine}", f"manylinux2014_{machine}", f"musllinux_1_1_{machine}"]


def build(contents, folder):
    name = f"deepperf-{contents.version}"
    platforms = platform_tags(contents.machine)
    tags = "".join(f"Tag: py3-none-{platform}\n" for platform in platforms)
    readme = contents.readme.decode()
    metadata = (f"Metadata-Version: 2.1\nName: deepperf\nVersion: {contents.version}\nSummary: {SUMMARY}\nAuthor: The DeepPerf authors\n"
                "License: MIT\nRequires-Python: >=3.7\nClassifier: License :: OSI Approved :: MIT License\n"
                "Classifier: Operating System :: POSIX :: Linux\nClassifier: Topic :: Software Development :: Quality Assurance\n"
                f"Description-Content-Type: text/markdown\n\n{readme}")
    files = {
        "deepperf/__init__.py": (b"", 0o644),
        "deepperf/__main__.py": (MAIN.encode(), 0o644),
        f"{name}.data/scripts/deepperf": (contents.binary, 0o755),
        f"{name}.dist-info/METADATA": (metadata.encode(), 0o644),
        f"{name}.dist-info/WHEEL": (f"Wheel-Version: 1.0\nGenerator: deepperf packaging\nRoot-Is-Purelib: false\n{tags}".encode(), 0o644),
        f"{name}.dist-info/licenses/LICENSE": (contents.license, 0o644),
        f"{name}.dist-info/licenses/LICENSES-OF-LIBRARIES": (contents.libraries, 0o644),
    }
    record = ""
    for path, (data, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    files[f"{name}.dist-info/RECORD"] = (f"{record}{name}.dist-info/RECORD,,\n".encode(), 0o644)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, (data, mode) in files.items():
            entry = zipfile.ZipInfo(path, time.gmtime(max(contents.time, 315532800))[:6])  # zip knows no time before 1980
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    path = folder / f"{name}-py3-none-{'.'.join(platforms)}.whl"
    path.write_bytes(out.getvalue())
    return path
