t"{a} {b!r:>{w}}" t'{x = }' rt"\{y}"
