"""The text of a Python file, its tree, and the way from nodes to places in the text."""

import ast
import bisect
import re
import warnings
from functools import cached_property

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# An edit must not move code away from a comment that silences a finding.
SUPPRESSION = re.compile(r"#.*(noqa|deepperf:)")


class Source:
    """Offsets count characters of `text`; lines count from 1."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.line_starts = [0] + [match.end() for match in re.finditer("\n", text)]

    @cached_property
    def tree(self):
        """None for a file that CPython cannot parse: some inputs are broken on purpose."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # invalid escapes in strings are the input's own business
                return ast.parse(self.text)
        except (SyntaxError, ValueError):
            return None

    @cached_property
    def nodes(self):
        """All nodes outside of f-strings, whose parts have unreliable positions before Python 3.12."""
        found = []
        waiting = [self.tree] if self.tree else []
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting.extend(child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.JoinedStr))
        return found

    @cached_property
    def words(self):
        return set(re.findall(r"\w+", self.text))

    def offset(self, line, byte_column):
        start = self.line_starts[line - 1]
        if self.text.isascii():
            return start + byte_column
        return start + len(self.line(line).encode()[:byte_column].decode())

    def start(self, node):
        """Where a node starts, with its decorators."""
        first = min([node, *getattr(node, "decorator_list", [])], key=lambda part: part.lineno)
        if first is node:
            return self.offset(node.lineno, node.col_offset)
        return self.line_start(self.offset(first.lineno, 0)) + len(self.indentation(first.lineno))  # the @

    def end(self, node):
        return self.offset(node.end_lineno, node.end_col_offset)

    def span(self, node):
        return Span(self.path, self.start(node), self.end(node))

    def of(self, node):
        return self.text[self.start(node):self.end(node)]

    def line_number(self, offset):
        return bisect.bisect_right(self.line_starts, offset)

    def line(self, number):
        """Without its end."""
        ends = self.line_starts[number] - 1 if number < len(self.line_starts) else len(self.text)
        return self.text[self.line_starts[number - 1]:ends]

    def indentation(self, number):
        return re.match(r"[ \t]*", self.line(number)).group()

    def line_start(self, offset):
        return self.line_starts[self.line_number(offset) - 1]

    def next_line_start(self, offset):
        number = self.line_number(offset)
        return self.line_starts[number] if number < len(self.line_starts) else len(self.text)

    def starts_line(self, node):
        start = self.start(node)
        line_start = self.line_start(start)
        return not self.text[line_start:start].strip() and not self.text.endswith("\\\n", 0, line_start)

    def has_lines_of_its_own(self, node):
        """True if nothing but white space and a comment shares a line with it."""
        after = self.text[self.end(node):self.next_line_start(self.end(node))].strip()
        return self.starts_line(node) and (not after or after.startswith("#"))

    def is_suppressed(self, node):
        lines = self.text[self.line_start(self.start(node)):self.next_line_start(self.end(node))]
        return SUPPRESSION.search(lines) is not None


class Span:
    """A part of a file of the original program that an edit copies or moves."""

    def __init__(self, path, start, end):
        self.path, self.start, self.end = path, start, end


def blocks(source):
    """Every list of statements, as (owner, statements)."""
    for node in source.nodes:
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list) and statements:
                yield node, statements


def is_docstring(statement):
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) \
        and isinstance(statement.value.value, str)


def is_future_import(statement):
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def first_statement_after_imports(tree):
    """The first top-level statement that is neither the docstring nor one of the imports after it."""
    return next((statement for index, statement in enumerate(tree.body)
                 if not isinstance(statement, (ast.Import, ast.ImportFrom)) and not (index == 0 and is_docstring(statement))),
                None)
