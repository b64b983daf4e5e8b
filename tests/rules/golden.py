"""Golden files: everything that deepperf reports on a fixture, as text that a reviewer can read.

One block per finding, sorted by place:

    sequential_map.py:22:13-22:23 DP101 warning
        code: map(parse)
        message: this `map()` processes elements sequentially
        note: sequential_map.py:20:5 the dataset is created here
        help: pass `num_parallel_calls=tf.data.AUTOTUNE`
        fix: safe

In a notebook the place starts with the cell: `train.ipynb:cell 3:22:13-22:23`.
"""

import json

NOTHING = "nothing found\n"


def lines_of(file):
    """The lines of a Python file, or of the cells of a notebook: {cell: lines}, where the cell of a Python file is None."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".ipynb":
        return {None: text.split("\n")}
    cells = json.loads(text)["cells"]
    return {number: "".join(cell["source"]).split("\n") for number, cell in enumerate(cells, 1)
            if cell["cell_type"] == "code"}


def render(findings, sources):
    """The text of the golden file. `sources` maps the paths of the findings to what lines_of() returns for them."""
    return "\n".join(render_finding(finding, sources[finding["path"]]) for finding in findings) or NOTHING


def render_finding(finding, source):
    lines = [f"{place(finding)}-{finding['end_line']}:{finding['end_column']} {finding['code']} "
             + finding["severity"] + ("/hint" if finding["confidence"] == "medium" else ""),
             f"    code: {covered(finding, source)}",
             f"    message: {finding['message']}"]
    lines += [f"    note: {place(note)} {note['message']}" for note in finding["notes"]]
    if finding["help"]:
        lines.append(f"    help: {finding['help']}")
    if finding["fix"]:
        lines.append("    fix: " + ("safe" if finding["fix"]["safe"] else "unsafe"))
    return "\n".join(lines) + "\n"


def place(item):
    cell = f"cell {item['cell']}:" if item.get("cell") else ""
    return f"{item['path']}:{cell}{item['line']}:{item['column']}"


def covered(finding, source):
    """The code that a finding covers, cut at the end of its first line."""
    line = source[finding["cell"]][finding["line"] - 1]
    if finding["end_line"] != finding["line"]:
        return line[finding["column"] - 1:].rstrip() + " ..."
    return line[finding["column"] - 1:finding["end_column"] - 1]


def changes(before, after):
    """What happened to the findings between two golden files: "2 added, 1 changed"; empty if they are equal."""
    old, new = blocks_of(before), blocks_of(after)
    counts = {"added": len(new.keys() - old.keys()), "removed": len(old.keys() - new.keys()),
              "changed": sum(old[key] != new[key] for key in old.keys() & new.keys())}
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count)


def blocks_of(text):
    """The blocks of a golden file by place and code, so that a new message is a change and not another finding."""
    heads_and_bodies = [block.partition("\n") for block in text.split("\n\n") if text != NOTHING and block]
    return {head.rpartition(" ")[0]: (head, body.rstrip()) for head, _, body in heads_and_bodies}
