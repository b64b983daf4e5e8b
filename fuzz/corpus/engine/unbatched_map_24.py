def helper(x):
    return scale(x)
