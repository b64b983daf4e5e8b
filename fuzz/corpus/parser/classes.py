class A: x: int = 1; y: str
class B(A, metaclass=M, **kw):
    """doc"""
    @property
    def p(self): return self.__q

    class C: pass
class D(): pass
