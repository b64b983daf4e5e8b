"""Alternatives in the other order."""

import ast
import re

from .edits import Site, replace
from .names import contains, is_dotted_name, reads
from .source import Span, blocks


def swap_if_else(program):
    """`if c: A else: B` becomes `if not (c): B else: A`."""
    return [site for source in program.parsed for node in source.nodes if isinstance(node, ast.If)
            for site in [swapped_if(source, node)] if site]


def swapped_if(source, node):
    start = source.start(node)
    if not node.orelse or is_elif(source, node) or (isinstance(node.orelse[0], ast.If) and is_elif(source, node.orelse[0])):
        return None
    colon = colon_after(source, node.test)
    else_start = source.line_starts[else_line(source, node) - 1]
    body_start, orelse_start = source.next_line_start(colon), source.next_line_start(else_start)
    end = source.next_line_start(source.end(node))
    has_blocks = source.start(node.body[0]) >= body_start and source.start(node.orelse[0]) >= orelse_start
    if not has_blocks or comment_around_test(source, node):
        return None
    return Site((replace(source, start, end, "if not (", source.span(node.test), ")",
                         Span(source.path, colon, body_start), Span(source.path, orelse_start, end),
                         Span(source.path, else_start, orelse_start), Span(source.path, body_start, else_start)),))


def negate_if(program):
    """`if c: A` becomes `if not (c): pass else: A`."""
    return [site for source in program.parsed for node in source.nodes if isinstance(node, ast.If)
            for site in [negated_if(source, node)] if site]


def negated_if(source, node):
    start, colon = source.start(node), colon_after(source, node.test)
    body_start = source.next_line_start(colon)
    if node.orelse or is_elif(source, node) or source.start(node.body[0]) < body_start or comment_around_test(source, node):
        return None
    indentation = source.indentation(source.line_number(start))
    inner = source.indentation(source.line_number(source.start(node.body[0])))
    return Site((replace(source, start, body_start, "if not (", source.span(node.test), ")",
                         Span(source.path, colon, body_start), f"{inner}pass\n{indentation}else:\n"),))


def comment_around_test(source, node):
    before = source.text[source.start(node):source.start(node.test)]
    return "#" in before + source.text[source.end(node.test):colon_after(source, node.test)]


def default_into_else(program):
    """`x = a` and then `if c: x = b` becomes `if c: x = b else: x = a`."""
    return [with_else(source, default, test) for source in program.parsed for _, statements in blocks(source)
            for default, test in zip(statements, statements[1:])
            if is_default_of(default, test) and source.has_lines_of_its_own(default)
            and source.has_lines_of_its_own(test) and source.starts_line(test.body[0])]


def with_else(source, default, test):
    start, test_start, end = (source.line_start(source.start(default)), source.next_line_start(source.end(default)),
                              source.next_line_start(source.end(test)))
    return Site((replace(source, start, end, Span(source.path, test_start, end), source.indentation(default.lineno),
                         "else:\n", source.indentation(test.body[0].lineno),
                         Span(source.path, source.start(default), test_start)),))


def is_default_of(default, test):
    """True if the test sets the same name and nothing else, and reading the default later makes no difference."""
    if not is_assignment_to_name(default) or not isinstance(test, ast.If) or test.orelse or len(test.body) != 1 \
            or not is_assignment_to_name(test.body[0]):
        return False
    name = default.targets[0].id
    return test.body[0].targets[0].id == name and name not in reads(test) and not contains(test.test, ast.Call, ast.NamedExpr) \
        and (isinstance(default.value, ast.Constant) or is_dotted_name(default.value))


def is_assignment_to_name(statement):
    return isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)


def is_elif(source, node):
    return source.text.startswith("elif", source.start(node))


def colon_after(source, test):
    """The colon that ends the header, perhaps after brackets and comments."""
    return re.compile(r"(?:\s|\)|\\|#[^\n]*\n)*:").match(source.text, source.end(test)).end() - 1


def else_line(source, node):
    """The number of the line with the `else` between the two blocks."""
    numbers = range(source.line_number(source.start(node.orelse[0])), node.body[-1].end_lineno, -1)
    return next(number for number in numbers if re.match(r"\s*else\b", source.line(number)))


def swap_conditional_expression(program):
    """`a if c else b` becomes `b if not (c) else a`."""
    return [Site((replace(source, source.start(node), source.end(node), "(", source.span(node.orelse), ") if not (",
                          source.span(node.test), ") else (", source.span(node.body), ")"),))
            for source in program.parsed for node in source.nodes
            if isinstance(node, ast.IfExp) and not comment_between_parts(source, node)]


def comment_between_parts(source, node):
    gaps = source.text[source.end(node.body):source.start(node.test)] \
        + source.text[source.end(node.test):source.start(node.orelse)]
    return "#" in gaps or source.is_suppressed(node)


def expand_conditional_expression(program):
    """`y = a if c else b` becomes a statement: `if c: y = a else: y = b`."""
    return [expanded(source, statement) for source in program.parsed for statement in source.nodes
            if is_assigned_alternative(statement) and source.has_lines_of_its_own(statement)
            and not comment_between_parts(source, statement.value)]


def is_assigned_alternative(statement):
    return isinstance(statement, (ast.Assign, ast.Return)) and isinstance(statement.value, ast.IfExp) \
        and all(isinstance(target, ast.Name) for target in getattr(statement, "targets", []))


def expanded(source, statement):
    start, value = source.start(statement), statement.value
    indentation = source.indentation(source.line_number(start))
    head = " = ".join(target.id for target in statement.targets) + " = " if isinstance(statement, ast.Assign) else "return "
    return Site((replace(source, start, source.end(statement), "if (", source.span(value.test), "):\n",
                         f"{indentation}    {head}(", source.span(value.body), f")\n{indentation}else:\n",
                         f"{indentation}    {head}(", source.span(value.orelse), ")"),))
