# What a forward pass does unless a caller passes something.
import torch
from torch import nn
from transformers import LlamaForCausalLM


class Described(LlamaForCausalLM):
    def forward(self, input_ids: torch.LongTensor, images: torch.Tensor, inputs_embeds=None):
        if inputs_embeds is None:
            inputs_embeds = self.prepare(input_ids, images)  # expect: DP402
        return super().forward(inputs_embeds=inputs_embeds)

    def prepare(self, input_ids: torch.LongTensor, images: torch.Tensor):
        parts = []
        for ids in input_ids:
            places = torch.where(ids == 7)[0].tolist()
            parts.append(images[: len(places)])
        return torch.cat(parts)


class OnRequest(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, names=None):
        if names is not None:
            print(names, x.mean().item())  # hint: DP402
        return self.layer(x)


class Debugged(nn.Module):
    def __init__(self, debug):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.debug = debug

    def forward(self, x: torch.Tensor):
        if self.debug:
            print(x.mean().item())  # hint: DP402
        return self.layer(x)


def run(x: torch.Tensor):
    net = nn.Sequential(OnRequest(), Debugged(False)).cuda()
    return net(x.cuda())
