"""Alternatives in the other order."""

import ast
import re

from .edits import Site, replace
from .source import Span


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
    comment_in_test = "#" in source.text[start:source.start(node.test)] + source.text[source.end(node.test):colon]
    if not has_blocks or comment_in_test:
        return None
    return Site((replace(source, start, end, "if not (", source.span(node.test), ")",
                         Span(source.path, colon, body_start), Span(source.path, orelse_start, end),
                         Span(source.path, else_start, orelse_start), Span(source.path, body_start, else_start)),))


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
