import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 64)

    def forward(self, x):
        return self.head(x)


@torch.inference_mode()
def by_index(model: Net, images, paths):
    features = model(images).cpu()
    for i, path in enumerate(paths):
        torch.save(features[i], path)  # expect: DP483


@torch.inference_mode()
def by_unbind(model: Net, images, paths):
    features = model(images).cpu()
    for path, feature in zip(paths, features.unbind(0)):
        torch.save(feature, path)  # expect: DP483


def write(path, feature):
    torch.save(feature, path)  # expect: DP483


@torch.inference_mode()
def by_helper(model: Net, images, paths):
    features = model(images).cpu()
    for i, path in enumerate(paths):
        write(path, features[i : i + 1])


@torch.inference_mode()
def copied(model: Net, images, paths):
    features = model(images).cpu()
    for i, path in enumerate(paths):
        torch.save(features[i].clone(), path)


@torch.inference_mode()
def copied_to_host(model: Net, images, paths):
    features = model(images.cuda())
    for i, path in enumerate(paths):
        torch.save(features[i].cpu(), path)


@torch.inference_mode()
def selected(model: Net, images, masks, paths):
    features = model(images)
    for mask, path in zip(masks, paths):
        torch.save(features[mask], path)


@torch.inference_mode()
def one_by_one(model: Net, images, paths):
    for image, path in zip(images, paths):
        torch.save(model(image), path)


def of_a_list(features, paths):
    all_features = [feature.mean(0) for feature in features]
    for i, path in enumerate(paths):
        torch.save(all_features[i], path)


def states(models, paths):
    for model, path in zip(models, paths):
        torch.save(model.state_dict(), path)


def once(features: torch.Tensor, path):
    torch.save(features[0], path)
