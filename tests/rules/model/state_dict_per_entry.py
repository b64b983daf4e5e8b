import torch


def fires(average: torch.nn.Module, model: torch.nn.Module, decay):
    with torch.no_grad():
        for name in model.state_dict():
            average.state_dict()[name].mul_(decay)  # expect: DP256
        for name, value in model.named_parameters():
            average.state_dict()[name].copy_(value)  # expect: DP256
    return {name: average.state_dict()[name] + value for name, value in model.state_dict().items()}  # expect: DP256


def silent(average: torch.nn.Module, model: torch.nn.Module, models, names):
    old = model.state_dict()
    for name in old:
        old[name] = old[name] * 2
    for one in models:
        average.load_state_dict(one.state_dict())
    for name in names:
        print(model.state_dict()[name].shape)
    for name, value in model.state_dict().items():
        print(name, value.shape, len(average.state_dict()))
