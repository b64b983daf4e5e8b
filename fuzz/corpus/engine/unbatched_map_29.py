def in_place(x):
    x /= 255.0
    return x
