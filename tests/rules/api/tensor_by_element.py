import numpy as np
import torch
import torch.nn as nn

model = nn.Linear(8, 2)


def comprehension(x):
    best = torch.argmax(model(x), dim=1)  # hint: DP232
    return [one.item() for one in best]  # expect: DP155


def loop(x):
    best = model(x).argmax(dim=1)  # hint: DP232
    names = []
    for one in best:  # expect: DP155
        names.append("label %d" % int(one))
    return names


def indices(x):
    best = model(x).argmax(dim=1)  # hint: DP232
    names = []
    for i in range(len(best)):
        names.append(best[i].item())  # expect: DP155
    return names


def by_shape(x, names):
    best = model(x).argmax(dim=1)  # hint: DP232
    return_value = []
    for i in range(best.shape[0]):
        return_value.append(names[int(best[i])])  # expect: DP155
    return return_value


def extended(xs):
    predictions = []
    for x in xs:
        predictions.extend(model(x).argmax(dim=1))  # hint: DP232  # expect: DP155
    return predictions


def as_list(xs):
    predictions = []
    for x in xs:
        predictions.extend(model(x).argmax(dim=1).tolist())  # hint: DP232
    return [one for one in predictions]


def rows(x):
    return [row.sum() for row in model(x)]


def numbers(values):
    return [float(value) for value in values]


def rates(depth):
    return [rate.item() for rate in torch.linspace(0, 0.1, depth)]


def rows_by_one(xs):
    vectors = []
    for x in xs:
        vectors.extend(model(x))
    return torch.stack(vectors)


def other_index(x, order):
    best = model(x).argmax(dim=1)  # hint: DP232
    total = 0
    for i in range(3):
        total += best[i].item()
    return total


def accuracy(predicted: torch.Tensor, labels: torch.Tensor, names):
    correct = 0
    for p, label in zip(predicted, labels):
        if p == label:  # hint: DP155
            correct += 1
    for p, name in zip(predicted, names):
        if p == name:
            correct += 1
    return correct


def smallest(values):
    best = np.zeros(values.shape[0])
    for i in range(values.shape[0]):
        least = np.inf
        for j in range(values.shape[1]):
            if values[i, j] != 0 and values[i, j] < least:  # expect: DP155
                least = values[i, j]
                best[i] = j
    return best


def neighbours(values):
    count = 0
    for i in range(values.shape[0]):  # expect: DP162
        for j in range(values.shape[1]):
            if values[i, j] > values[i, j - 1]:
                count += 1
    return count


print(smallest(np.random.rand(100, 100)), neighbours(np.random.rand(100, 100)))


def on_the_host(size):
    order = torch.arange(size)
    names = []
    for i in range(size):
        names.append(order[i].item())  # hint: DP155
    return names


def made_in_the_loop(counts: torch.Tensor, size):
    bounds = []
    for start in range(0, size, 4):
        sums = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
        bounds.append((sums[start].item(), start))
    return bounds


def parts(loader, loss_of):
    for batch in loader:
        losses = torch.cat(loss_of(batch))
        if isinstance(losses, tuple):
            print([part.item() for part in losses])
        elif isinstance(losses, list):
            print([part.item() for part in losses])  # expect: DP402


# Nobody in sight calls it: where the tensor is, only its annotation could tell, and it does not.
def smoothed(counts: torch.Tensor):
    return [max(1, c.item()) for c in counts]  # hint: DP155


def planned(indices: torch.Tensor, count, out: torch.Tensor):
    host = torch.device("cpu")
    rows = indices.detach().to(device=host, dtype=torch.int64)
    found = []
    for r in range(count):  # expect: DP139
        found.append(int(rows[r].item()))  # hint: DP155
    return torch.tensor(found, device=out.device)


def chosen(indices: torch.Tensor, count, out: torch.Tensor):
    place = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rows = indices.detach().to(device=place, dtype=torch.int64)
    found = []
    for r in range(count):  # expect: DP139
        found.append(int(rows[r].item()))  # expect: DP155
    return torch.tensor(found, device=out.device)
