import torch
import torch.nn as nn


def classify(encoder: nn.Linear, prompts, x):
    return encoder(x) @ encoder(prompts).T  # expect: DP441


def with_features(encoder: nn.Linear, features, x):
    return encoder(x) @ features.T  # expect: DP250


@torch.no_grad()
def run(encoder: nn.Linear, loader, prompts):
    features = encoder(prompts)
    for x in loader:
        yield classify(encoder, prompts, x)
        yield with_features(encoder, features, x)
