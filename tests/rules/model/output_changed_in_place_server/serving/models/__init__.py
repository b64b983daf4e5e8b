import torch

from serving.models.head import Head

# Nothing here is ever trained.
torch.set_grad_enabled(False)


def load(name):
    model = Head()
    model.load_state_dict(torch.load(name, weights_only=True))
    return model
