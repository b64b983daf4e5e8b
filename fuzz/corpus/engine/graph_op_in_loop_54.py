def calls_makes_loss(x):
    return makes_loss(x)
