import torch


def fires(model, data, unknown):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad(set_to_none=False)  # hint: DP133
    optimizer.zero_grad(False)  # hint: DP133
    unknown.zero_grad(set_to_none=False)  # hint: DP133
    for x in data:
        model.zero_grad(set_to_none=False)  # hint: DP133


def silent(model, flag, unknown):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    optimizer.zero_grad(set_to_none=True)
    optimizer.zero_grad(True)
    optimizer.zero_grad(set_to_none=flag)
    unknown.zero_grad(False)
    model.zero_grad()
