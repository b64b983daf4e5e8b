"""The programs of tests/shapes and their marks.

crash/NAME.py is a program that stops with an error. Its first line quotes what torch says (verify_programs.py --write puts it
there). Marks at the end of lines:

    # expect: DP601    the line that torch's error comes from, and the rule that must report it
    # expect: DP604 or DP610    the same where two rules could say it
    # or here          the finding may stand on this line instead: the layer's own, where the mistake is in a Sequential
    # fixed: CODE      in the corrected program this line is CODE; without CODE the line is left out
    #+ CODE            (a line of its own) the corrected program has this line here

good/NAME.py is a program that runs, and about which no rule of DP601 to DP614, nor DP268, may say anything.

tensorflow/ and jax/ have the same for Keras, TensorFlow 1 and 2, JAX and Flax. Their first lines say in our words what the
library's error says; nothing here runs them.

A program with `# needs a GPU` in its second line cannot stop on a machine without one. It is run with torch's device "meta" in
the place of the GPU where torch notices the mix, else its second line says `# needs a GPU, not verified`.
A good program that begins with `# needs torch 2` is not run.
`# wrong without an error: WHY` in the second line: torch computes something, and it is not what was meant.
"""

import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
QUOTE = "# torch 1.13: "
MARK = re.compile(r"\s*# (expect: DP\d+(?: or DP\d+)*|or here|fixed:.*)$")


class Program:
    def __init__(self, path):
        self.path = path
        self.name = f"{path.parent.name}/{path.name}"
        self.text = path.read_text(encoding="utf-8")
        lines = self.text.split("\n")
        self.quote = lines[0][len(QUOTE):] if lines[0].startswith(QUOTE) else None
        head = "\n".join(lines[:3])
        self.needs_gpu = "# needs a GPU" in head
        self.not_verified = "# needs a GPU, not verified" in head
        self.no_error = "# wrong without an error" in head
        self.expected = []  # ([code, …], line)
        self.also = []  # lines
        self.fixed = self._read_marks(lines)

    def _read_marks(self, lines):
        twin = []
        for number, line in enumerate(lines, 1):
            indent = line[:len(line) - len(line.lstrip())]
            if line.lstrip().startswith("#+ "):
                twin.append(indent + line.lstrip()[3:])
                continue
            code, replacement = line, None
            while match := MARK.search(code):
                mark = match.group(1)
                if mark.startswith("fixed:"):
                    # The mark may hold others in its text; the first one on the line counts.
                    position = code.index("# fixed:")
                    replacement = code[position + len("# fixed:"):].strip()
                    code = code[:position].rstrip()
                    continue
                if mark.startswith("expect:"):
                    self.expected.append((mark[8:].split(" or "), number))
                else:
                    self.also.append(number)
                code = code[:match.start()]
            if replacement is None:
                twin.append(code)
            elif replacement:
                twin.append(indent + replacement)
        return "\n".join(twin)


LIBRARIES = ("tensorflow", "jax")  # beside PyTorch, whose programs are not in a folder of their own


def crashing(library="."):
    return [Program(path) for path in sorted((HERE / library / "crash").glob("*.py"))]


def good(library="."):
    return [Program(path) for path in sorted((HERE / library / "good").glob("*.py"))]
