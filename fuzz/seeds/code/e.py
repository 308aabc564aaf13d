eP7
"""Doc."""
from a.b import c as d, e
import f

@dec(1)
class A(B):
    """Doc."""
    x: int = 1

    @property
    def m(self):
        if self.x:
            return f"{self.x!r}"
        return [i for i in range(3)]

async def g(*a, **k):
    def inner(): pass
    await a
