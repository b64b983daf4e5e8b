a = 1 + \
    2
if a and \
   b:
    c = [
1,

# comment
2]
\
x
y \
