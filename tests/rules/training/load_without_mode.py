import torch


def fires(model, x):
    model.load_state_dict(torch.load("weights.pt"))  # hint: DP813
    return model(x)


def not_asked(model):
    model.load_state_dict(torch.load("weights.pt"))
    return model


def asked_before(model, x):
    y = model(x)
    model.load_state_dict(torch.load("weights.pt"))
    return y


def another(model, submodel, x):
    model.load_state_dict(torch.load("weights.pt"))
    return submodel(x)
