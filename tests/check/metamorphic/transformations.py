"""All transformations by name. Each takes a program and returns the places where it applies, as Sites."""

from .branches import (default_into_else, expand_conditional_expression, negate_if, swap_conditional_expression,
                       swap_if_else)
from .calls import helper_for_statement, helper_for_value, name_inner_call
from .modules import rename_imports, split_file
from .noise import guard_main, insert_comments, insert_pass, unrelated_call_at_end, unrelated_call_at_top
from .order import reverse_functions, reverse_methods

TRANSFORMATIONS = {function.__name__: function for function in (
    swap_if_else, negate_if, default_into_else, swap_conditional_expression, expand_conditional_expression,
    reverse_functions, reverse_methods, name_inner_call, rename_imports, insert_pass, insert_comments,
    unrelated_call_at_end, unrelated_call_at_top, helper_for_statement, helper_for_value, split_file, guard_main)}
