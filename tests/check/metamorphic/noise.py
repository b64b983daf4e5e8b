"""Code that does nothing."""

import ast

from .edits import Site, insert
from .source import blocks, first_statement_after_imports, is_future_import

UNRELATED = "unrelated_"


def insert_pass(program):
    """`pass` between all statements."""
    return between_statements(program, "pass\n")


def insert_comments(program):
    """An empty line and a comment between all statements."""
    return between_statements(program, "# nothing\n\n")


def between_statements(program, text):
    return [Site((insert(source, source.line_start(source.start(statement)),
                         source.indentation(source.line_number(source.start(statement))) + text),))
            for source in program.parsed for _, statements in blocks(source) for statement in statements[1:]
            if source.starts_line(statement) and not is_future_import(statement)]


def unrelated_call_at_end(program):
    """A function that does nothing, called once as the last thing in the file."""
    return [Site((insert(source, len(source.text), f"\n\ndef {UNRELATED}():\n    return 0\n\n\n{UNRELATED}()\n"),))
            for source in program.parsed if UNRELATED not in source.words]


def unrelated_call_at_top(program):
    """The same before everything but the imports."""
    sites = []
    for source in program.parsed:
        first = first_statement_after_imports(source.tree)
        if first and source.starts_line(first) and UNRELATED not in source.words:
            sites.append(Site((insert(source, source.line_start(source.start(first)),
                                      f"def {UNRELATED}():\n    return 0\n\n\n{UNRELATED}()\n\n\n"),)))
    return sites


def guard_main(program):
    """A call at the top level of a function of the file moves under `if __name__ == "__main__":`."""
    if len(program.sources) > 1:
        return []  # another file may import this one, and then the call would no longer happen
    return [Site((insert(source, source.start(statement), 'if __name__ == "__main__":\n    '),))
            for source in program.parsed for statement in source.tree.body
            if is_call_of_own_function(source, statement) and source.has_lines_of_its_own(statement)
            and not source.is_suppressed(statement)]


def is_call_of_own_function(source, statement):
    functions = {node.name for node in source.tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) \
        and isinstance(statement.value.func, ast.Name) and statement.value.func.id in functions
