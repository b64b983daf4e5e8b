if a:
	if b:
        	c
  # odd comment
	d

if x:
        y
	z

def f():
    pass
