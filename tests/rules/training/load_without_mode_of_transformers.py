# from_pretrained() of a base class of Transformers gives a model in evaluation mode.
import torch
import torch.nn as nn
from transformers import PreTrainedModel


class Captioner(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.body = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))

    def forward(self, x):
        return self.body(x)


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))

    def forward(self, x):
        return self.body(x)


@torch.no_grad()
def caption(model, batches):
    return [model(x) for x in batches]


@torch.no_grad()
def guess(plain, batches):
    return [plain(x) for x in batches]  # expect: DP813


batches = torch.utils.data.DataLoader(torch.zeros(100, 3))
print(caption(Captioner.from_pretrained("captioner"), batches))
print(guess(Plain(), batches))
