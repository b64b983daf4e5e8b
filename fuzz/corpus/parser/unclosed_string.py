x = "abc
y = '''def
z = 1
