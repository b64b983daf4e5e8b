"""Definitions in another order."""

import ast

from .edits import Site, replace
from .names import contains, evaluated_at_definition, reads
from .source import FUNCTIONS, Span


def reverse_functions(program):
    """Neighbouring functions at the top level, last one first."""
    return [reversed_run(source, run) for source in program.parsed for run in runs_of_functions(source.tree.body)]


def reverse_methods(program):
    """Neighbouring methods of a class, last one first."""
    return [reversed_run(source, run) for source in program.parsed for node in source.nodes
            if isinstance(node, ast.ClassDef) and not node.keywords  # a metaclass may care about the order
            for run in runs_of_functions(node.body)]


def runs_of_functions(statements):
    """Neighbouring undecorated functions whose definitions have nothing to do with each other."""
    run = []
    for statement in [*statements, None]:
        if isinstance(statement, FUNCTIONS) and not statement.decorator_list and is_independent(statement, run):
            run.append(statement)
            continue
        if len(run) > 1:
            yield run
        run = [statement] if isinstance(statement, FUNCTIONS) and not statement.decorator_list else []


def is_independent(function, others):
    """True if no definition reads a name that another one binds, and none calls anything while it is defined."""
    every = [function, *others]
    names = {other.name for other in every}
    at_definition = [node for other in every for node in evaluated_at_definition(other)]
    return len(names) == len(every) \
        and not any(contains(node, ast.Call, ast.NamedExpr) or reads(node) & names for node in at_definition)


def reversed_run(source, run):
    """Comments and blank lines between the functions stay where they are."""
    spans = [Span(source.path, source.line_start(source.start(function)), source.next_line_start(source.end(function)))
             for function in run]
    parts = []
    for index, span in enumerate(reversed(spans)):
        if index:
            parts.append(Span(source.path, spans[index - 1].end, spans[index].start))
        parts.append(span)
    return Site((replace(source, spans[0].start, spans[-1].end, *parts),))
