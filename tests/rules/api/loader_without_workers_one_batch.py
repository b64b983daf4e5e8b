import torch
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

images = datasets.CIFAR10("data", transform=transforms.ToTensor())
small = DataLoader(images, batch_size=256)
first, labels = next(iter(small))
print(len(small))
other = next(iter(small))[0]


def shown(net: torch.nn.Module):
    loader = DataLoader(images, batch_size=1024)
    x, y = next(iter(loader))
    return net(x), y


def all_of_it(net: torch.nn.Module):
    loader = DataLoader(images, batch_size=1024)  # expect: DP130
    x, y = next(iter(loader))
    return [net(one) for one, _ in loader], x, y


sample = DataLoader(images, batch_size=8, shuffle=True)
for step, (x, y) in enumerate(sample):
    print(x.shape, y)
    break

until_found = DataLoader(images, batch_size=8, shuffle=True)  # expect: DP130
for x, y in until_found:
    if y.max() > 8:
        break
