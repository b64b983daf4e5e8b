if (n := len(a)) > 10: pass
[y := f(x), y**2]
f(x := 1, y=(z := 2))
x[y := 1, z := 2:3]
{a := 1, b := 2}
