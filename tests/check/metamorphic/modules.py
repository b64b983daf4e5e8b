"""Imports under other names, and code in other files."""

import ast
import re
import zlib

from .edits import Edit, Site, insert, replace
from .names import (BUILTINS, contains, count_bindings, evaluated_at_definition, global_reads_of_functions, reads,
                    uses_reflection)
from .source import FUNCTIONS, Span, first_statement_after_imports, is_docstring, is_future_import


def rename_imports(program):
    """`import torch` becomes `import torch as torch_alias_`, and every use of the name follows."""
    sites = []
    for source in program.parsed:
        if not has_star_import(source.tree) and not uses_reflection(source.tree):
            fixed = words_in_strings(source.tree) | names_bound_twice(source.tree)
            aliases = [alias for statement in source.tree.body if is_import(statement) for alias in statement.names]
            sites += [renamed_import(source, alias) for alias in aliases if can_be_renamed(program, source, alias, fixed)]
    return sites


def is_import(statement):
    return isinstance(statement, (ast.Import, ast.ImportFrom)) and not is_future_import(statement)


def has_star_import(tree):
    return any(isinstance(node, ast.alias) and node.name == "*" for node in ast.walk(tree))


def can_be_renamed(program, source, alias, fixed):
    name = alias.asname or alias.name
    return "." not in name and name not in fixed and new_name_of(name) not in source.words \
        and not is_seen_from_elsewhere(program, source, name)


def names_bound_twice(tree):
    return {name for name, count in count_bindings(tree).items() if count > 1}


def new_name_of(name):
    return f"{name}_alias_"


def renamed_import(source, alias):
    name = alias.asname or alias.name
    uses = [node for node in source.nodes if isinstance(node, ast.Name) and node.id == name]
    return Site((replace(source, source.start(alias), source.end(alias), f"{alias.name} as {new_name_of(name)}"),
                 *(replace(source, source.start(use), source.end(use), new_name_of(name)) for use in uses)))


def words_in_strings(tree):
    """The words in annotations, `__all__`, format strings, … Documentation may mention a name, but doctests use it."""
    words = set()
    documentation = {id(node.value) for node in ast.walk(tree) if is_docstring(node) and ">>>" not in node.value.value}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            words |= reads(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            words.update(re.findall(r"\w+", node.value))
    return words


def is_seen_from_elsewhere(program, source, name):
    """True if another file may take the name from this one."""
    return any(isinstance(node, ast.Attribute) and node.attr == name
               or isinstance(node, ast.ImportFrom) and any(alias.name in (name, "*") for alias in node.names)
               for other in program.parsed if other is not source for node in other.nodes)


def split_file(program):
    """Functions that need only imports and each other move to files of their own, which the rest imports."""
    return [split(program, source, imports, functions) for source in program.parsed
            if folder_of(source) + "__init__.py" not in program.sources  # files of a package cannot be imported like this
            for imports in [leading_imports(source.tree)]
            for functions in groups_that_use_each_other(source, movable_functions(source, imports))]


def split(program, source, imports, functions):
    place = f"{program.name}/{source.path}/{functions[0].name}"
    module = f"part_two_{zlib.crc32(place.encode()):08x}_"  # no other program may have a module of that name
    # All of them, because a file that imports no framework is another kind of file.
    parts = [part for statement in imports for part in (source.span(statement), "\n")]
    for function in functions:
        parts += ["\n\n", whole_lines(source, function)]
    names = ", ".join(function.name for function in functions)
    rest = first_statement_after_imports(source.tree)
    return Site((insert(source, source.line_start(source.start(rest)), f"from {module} import {names}\n"),
                 Edit(f"{folder_of(source)}{module}.py", 0, 0, tuple(parts)),
                 *(replace(source, lines.start, lines.end)
                   for lines in (whole_lines(source, function) for function in functions))))


def folder_of(source):
    """With a slash at its end, unless it is the program's own."""
    return source.path[:source.path.rfind("/") + 1]


def groups_that_use_each_other(source, functions):
    reads_of = global_reads_of_functions(source)
    groups = []
    for function in functions:
        used = reads_of[function.name]
        together = [group for group in groups
                    if any(other.name in used or function.name in reads_of[other.name] for other in group)]
        groups = [group for group in groups if group not in together] + [[*sum(together, []), function]]
    return groups


def whole_lines(source, node):
    return Span(source.path, source.line_start(source.start(node)), source.next_line_start(source.end(node)))


def leading_imports(tree):
    """The imports before any other code: what they mean does not depend on when they run."""
    rest = first_statement_after_imports(tree)
    return [statement for statement in tree.body[:tree.body.index(rest) if rest else None]
            if isinstance(statement, (ast.Import, ast.ImportFrom))]


def imported_names(statement):
    return {alias.asname or alias.name.split(".")[0] for alias in statement.names}


def movable_functions(source, imports):
    """The largest set of top-level functions that need nothing but imports, builtins and each other."""
    rest = first_statement_after_imports(source.tree)
    if rest is None or not source.starts_line(rest) or has_star_import(source.tree) or uses_reflection(source.tree) \
            or any(isinstance(node, ast.ImportFrom) and node.level for node in source.nodes):
        return []
    counts = count_bindings(source.tree)
    import_counts = {}
    for statement in imports:
        for name in imported_names(statement):
            import_counts[name] = import_counts.get(name, 0) + 1
    known = {name for name, count in import_counts.items() if counts[name] == count} | (BUILTINS - set(counts))
    reads_of = global_reads_of_functions(source)
    functions = {node.name: node for node in source.tree.body if isinstance(node, FUNCTIONS) and counts[node.name] == 1
                 and not contains_call_in_default(node) and not source.is_suppressed(node)}
    while True:
        available = known | set(functions)
        # The parts that run when the function is defined must not even need the others, which may come later.
        staying = {name: node for name, node in functions.items() if reads_of[name] <= available
                   and all(reads(part) <= known for part in evaluated_at_definition(node))}
        if len(staying) == len(functions):
            return list(functions.values())
        functions = staying


def contains_call_in_default(function):
    """Defaults would be evaluated earlier than before. Decorators as well, but those of frameworks do not mind."""
    return any(contains(node, ast.Call, ast.NamedExpr) for node in evaluated_at_definition(function)
               if node not in function.decorator_list)
