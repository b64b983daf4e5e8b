match x:
    case 0 | -1 | 1+2j | "s" "t" | b"b": pass
    case None | True | False: pass
    case a.b.c: pass
    case [a, *_, b] | (c, d) | []: pass
    case {"k": v, 1: w, **rest}: pass
    case {}: pass
    case P(x, y=1, z=Q()): pass
    case (a as b) if b > 1: pass
    case *a, b: pass
    case _: pass
match = case = 1
match(x)
match[x]
match, case
match * x
match -x
match x, *y:
    case a,: pass
match.case
