"""Values that take another way: through a variable, or through a function."""

import ast

from .edits import Site, insert, replace
from .names import is_dotted_name, locals_of, may_skip_parts, needs_method, reads, runs_later_or_pauses, uses_reflection
from .source import FUNCTIONS, Span, blocks


def name_inner_call(program):
    """`f(g(x))` becomes `inner_1_ = g(x)` and `f(inner_1_)`."""
    sites = []
    for source in program.parsed:
        for owner, statements in blocks(source):
            if isinstance(owner, ast.ClassDef):
                continue  # a new name would be a new attribute
            for statement in statements:
                inner = first_evaluated_argument(statement)
                if inner and source.has_lines_of_its_own(statement) and not source.is_suppressed(statement):
                    sites.append(named_inner_call(source, statement, inner, f"inner_{len(sites) + 1}_"))
    return sites


def first_evaluated_argument(statement):
    """The call that runs before anything else in a statement `f(g(x), …)`, `y = f(g(x), …)` or `return f(g(x), …)`.

    `f` is a name or an attribute: reading it before or after `g(x)` makes no difference, except to programs in which
    calling `g` replaces `f`."""
    if not isinstance(statement, (ast.Expr, ast.Assign, ast.Return)) or not isinstance(statement.value, ast.Call):
        return None
    outer = statement.value
    if not outer.args or not is_dotted_name(outer.func) or not isinstance(outer.args[0], ast.Call) \
            or uses_reflection(outer) or runs_later_or_pauses(outer.args[0]):
        return None
    return outer.args[0]


def named_inner_call(source, statement, inner, name):
    start, end = source.start(statement), source.end(statement)
    indentation = source.indentation(source.line_number(start))
    return Site((replace(source, start, end, f"{name} = ", *bracketed(source, inner), "\n" + indentation,
                         Span(source.path, start, source.start(inner)), name,
                         Span(source.path, source.end(inner), end)),))


def bracketed(source, node):
    """An expression of several lines needs brackets outside of those that it came from."""
    return ("(", source.span(node), ")") if "\n" in source.of(node) else (source.span(node),)


def helper_for_statement(program):
    """`f(x)` becomes `helper_1_(x)`, with a new function `def helper_1_(x): f(x)`."""
    return helpers(program, lambda statement: isinstance(statement, ast.Expr))


def helper_for_value(program):
    """`y = f(x)` becomes `y = helper_1_(x)`, with a new function `def helper_1_(x): return f(x)`."""
    return helpers(program, lambda statement: isinstance(statement, ast.Assign) and len(statement.targets) == 1
                   and isinstance(statement.targets[0], ast.Name))


def helpers(program, wanted):
    sites = []
    for source in program.parsed:
        for top in source.tree.body:
            for statement, local_names in statements_with_locals(top):
                if wanted(statement) and can_be_in_helper(source, statement, local_names):
                    name = f"helper_{len(sites) + 1}_"
                    sites.append(helper(source, top, statement, sorted(reads(statement.value) & local_names), name))
    return sites


def statements_with_locals(top):
    """The simple statements inside a top-level statement, each with the local names that it can see. Functions inside
    functions are left out, because their names may belong to either."""
    waiting = [(top, set())]
    while waiting:
        node, local_names = waiting.pop()
        if isinstance(node, FUNCTIONS):
            local_names = None if has_inner_scopes(node) or is_scripted(node) else locals_of(node)
            if local_names is None:
                continue
        elif isinstance(node, ast.ClassDef):
            # The body of a class sees names that a helper does not.
            waiting.extend((child, local_names) for child in node.body if isinstance(child, FUNCTIONS))
            continue
        elif isinstance(node, (ast.Expr, ast.Assign)):
            yield node, local_names
            continue
        waiting.extend((child, local_names) for child in reversed(list(ast.iter_child_nodes(node)))
                       if isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)))


def has_inner_scopes(function):
    """A function inside may change a local name while the helper runs, or give it another meaning."""
    return any(isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node is not function for node in ast.walk(function))


def is_scripted(function):
    """TorchScript compiles a helper as well, but needs types for its parameters."""
    return any("script" in ast.unparse(decorator) for decorator in function.decorator_list)


def can_be_in_helper(source, statement, local_names):
    value = statement.value
    names = reads(value)
    return isinstance(value, ast.Call) and source.has_lines_of_its_own(statement) and not source.is_suppressed(statement) \
        and not uses_reflection(value) and not needs_method(value) \
        and not runs_later_or_pauses(value) and not may_skip_parts(value) \
        and not any(isinstance(node, ast.JoinedStr) for node in ast.walk(value)) \
        and not any(is_private(node) for node in ast.walk(value)) \
        and not imported_names_in(source, names & local_names)


def is_private(node):
    """`__x` means something else inside of a class."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name.startswith("__") and not name.endswith("__")


def imported_names_in(source, names):
    """A module that is passed as an argument keeps the meaning, but is not idiomatic."""
    return any((alias.asname or alias.name.split(".")[0]) in names for alias in source.nodes if isinstance(alias, ast.alias))


def helper(source, top, statement, parameters, name):
    keyword = "return " if isinstance(statement, ast.Assign) else ""
    value = statement.value
    arguments = ", ".join(parameters)
    return Site((insert(source, source.line_start(source.start(top)), f"def {name}({arguments}):\n    {keyword}",
                        *bracketed(source, value), "\n\n\n"),
                 replace(source, source.start(value) if keyword else source.start(statement),
                         source.end(value) if keyword else source.end(statement), f"{name}({arguments})")))
