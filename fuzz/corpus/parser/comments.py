# a
#b

  # c
x = 1 # type: int
#