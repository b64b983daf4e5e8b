a = 'x' "y" r'\d' b'\x00' rb"\n" Br'' u'z'
b = """three
lines""" '''it's'''
c = '\N{BULLET}\x41\u00e9\U0001F600\101\
continued'
d = ''
