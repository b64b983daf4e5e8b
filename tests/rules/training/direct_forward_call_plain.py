import torch.nn as nn


# Nothing in this project adds a hook or a wrapper that the call would skip.
def run(x):
    model = nn.Linear(3, 4)
    return model.forward(x)  # hint: DP808
