print
print "a", b,
print >>f, "x" % y
print >>sys.stderr
print("a"), "b"
print ("a")
print -1
print not x
print `x`
