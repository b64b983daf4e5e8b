type X = int
type Y[T, *Ts, **P] = dict[T, P]
def f[T: (int, str) = int, *Ts = *tuple[int], **P = [int]](x: T) -> T: ...
class A[T](B[T]): ...
type = 1
type[1] = 2
print(type(x))
type: int
type . x
type
