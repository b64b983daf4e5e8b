#!/usr/bin/env python3
"""Where npm is missing or cannot install anything, the build goes on, and the page says why it is not there.

usage: page_build_test.py CMAKE SOURCE_FOLDER
"""

import pathlib
import subprocess
import sys
import tempfile

CMAKE, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])


def page_with(folder, npm, node):
    output = folder / "page.html"
    result = subprocess.run([CMAKE, f"-DNPM={npm}", f"-DNODE={node}", f"-DSOURCE={ROOT / 'web'}", f"-DFOLDER={folder / 'web'}",
                             f"-DOUTPUT={output}", f"-DSHAPES={folder / 'shapes.html'}", "-P", ROOT / "cmake/ReportPage.cmake"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "no HTML report" in result.stderr, result.stderr
    assert output.read_text() == (folder / "shapes.html").read_text()
    return output.read_text()


def program(path, text):
    path.write_text("#!/bin/sh\n" + text + "\n")
    path.chmod(0o755)
    return path


def main():
    with tempfile.TemporaryDirectory() as holder:
        folder = pathlib.Path(holder)
        node = program(folder / "node", "echo v20.0.0")
        old_node = program(folder / "old_node", "echo v12.22.0")
        npm = program(folder / "npm", "echo no network >&2; exit 1")
        for page, reason in ((page_with(folder, "NPM-NOTFOUND", node), "npm was not there when it was built\n"),
                             (page_with(folder, npm, old_node), "it was built with Node.js 12.22.0, which is older than 18\n"),
                             (page_with(folder, npm, node), "npm could not install its packages\n")):
            assert page == reason, page
    print("without npm, and without what it installs, there is a reason instead of the page")


main()
