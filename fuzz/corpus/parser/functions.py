def f(a, b=1, /, c: int = 2, *args: str, d, e=3, **kw: dict) -> None: pass
def g(*, a): return
async def h():
    await x
    async with a as b, c: pass
    async for i in j: yield i
    else: pass
    return [x async for x in y]
l = lambda *a, b=1, **c: (yield)
@a.b[c](d)
@(lambda f: f)
@x if y else z
def k(): """doc"""
def m(*args: *Ts): ...
