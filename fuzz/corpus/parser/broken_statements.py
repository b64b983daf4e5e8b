x = = 1
def (a): pass
class : pass
for in x: y
if : z
import
from import a
a b c
1 = x
f() = 2
else: q
) ] }
@
lambda x
ok = 1
