"""Which names a piece of Python binds and reads."""

import ast
import builtins
import symtable

from .source import COMPREHENSIONS, FUNCTIONS

BUILTINS = {name for name in dir(builtins) if not name.startswith("__")}
# They see or change names that no edit can follow.
REFLECTION = {"locals", "globals", "vars", "dir", "eval", "exec", "compile", "__import__"}
NEEDS_METHOD = {"super", "__class__"}


def bindings(node):
    """The names that this node itself binds, whatever its scope."""
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.alias):
        return [node.asname or node.name.split(".")[0]]
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return node.names
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        return [node.name] if node.name else []
    if isinstance(node, ast.MatchMapping):
        return [node.rest] if node.rest else []
    return []


def count_bindings(tree):
    """How often each name is bound anywhere in a file."""
    counts = {}
    for node in ast.walk(tree):
        for name in bindings(node):
            counts[name] = counts.get(name, 0) + 1
    return counts


def reads(node):
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load)}


def uses_reflection(node):
    return not REFLECTION.isdisjoint(reads(node))


def needs_method(node):
    return not NEEDS_METHOD.isdisjoint(reads(node))


def locals_of(function):
    """The names that are local to a function; None if it declares some as global or nonlocal."""
    names = set()
    waiting = [function.args, *function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            return None
        names.update(bindings(node))
        if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            continue  # what is inside has a scope of its own
        waiting.extend(ast.iter_child_nodes(node))  # the names of comprehensions count, too: better too many than too few
    return names


def evaluated_at_definition(function):
    """The expressions of a `def` that run when it is defined, not when it is called."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    annotations = [argument.annotation for argument in every if argument] + [function.returns]
    return [node for node in [*arguments.defaults, *arguments.kw_defaults, *annotations, *function.decorator_list] if node]


def global_reads_of_functions(source):
    """By name, the global names that each top-level function reads or writes, with those of the functions inside it."""
    found = {}
    for table in symtable.symtable(source.text, source.path, "exec").get_children():
        if table.get_type() == "function":
            found.setdefault(table.get_name(), set()).update(global_names(table))
    return found


def global_names(table):
    names = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    for child in table.get_children():
        names |= global_names(child)
    return names


def is_dotted_name(node):
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def contains(node, *classes):
    return any(isinstance(child, classes) for child in ast.walk(node))


def runs_later_or_pauses(node):
    """True if a part of the expression may run after the statement ends, or binds a name, or suspends the function."""
    return contains(node, ast.Lambda, ast.GeneratorExp, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


def may_skip_parts(node):
    """True if some name in the expression may stay unread, and therefore may be unbound."""
    return contains(node, ast.BoolOp, ast.IfExp, *COMPREHENSIONS) \
        or any(isinstance(child, ast.Compare) and len(child.ops) > 1 for child in ast.walk(node))
