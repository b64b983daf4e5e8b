import torch


def fires(model, x):
    model.load_state_dict(torch.load("weights.pt", weights_only=True))  # hint: DP813
    return model(x)


def not_asked(model):
    model.load_state_dict(torch.load("weights.pt", weights_only=True))
    return model


def asked_before(model, x):
    y = model(x)
    model.load_state_dict(torch.load("weights.pt", weights_only=True))
    return y


def another(model, submodel, x):
    model.load_state_dict(torch.load("weights.pt", weights_only=True))
    return submodel(x)
