"""Two syntax errors. Each is reported, and the rest of the file is read all the same."""

LEARNING_RATE = 0.01
# PLANTED: a bracket that is never closed
LAYERS = [64, 128, 256
BATCH_SIZE = 64


# PLANTED: the colon is missing
def schedule(step)
    return LEARNING_RATE * 0.96 ** (step // 1000)


EPOCHS = 10
