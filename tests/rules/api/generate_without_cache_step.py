# A step of decoding in a method of its own; the sequence is kept in an object.
from dataclasses import dataclass
from typing import Optional

import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2").eval()


@dataclass
class State:
    tokens: torch.Tensor
    length: int
    past: Optional[object] = None


def next_logits(state):
    inputs = state.tokens[:, : state.length]
    return model(input_ids=inputs, use_cache=False).logits[:, -1]  # expect: DP153


def next_logits_cached(state):
    begin = 0 if state.past is None else state.length - 1
    out = model(input_ids=state.tokens[:, begin : state.length], past_key_values=state.past, use_cache=True)
    state.past = out.past_key_values
    return out.logits[:, -1]


@torch.inference_mode()
def decode(state, limit):
    for _ in range(limit):
        token = next_logits(state).argmax(-1)
        state.tokens[:, state.length] = token
        state.length += 1
    return state.tokens


@torch.inference_mode()
def decode_cached(state, limit):
    for _ in range(limit):
        token = next_logits_cached(state).argmax(-1)
        state.tokens[:, state.length] = token
        state.length += 1
    return state.tokens


class Session:
    def __init__(self, ids):
        self.ids = ids

    def _forward(self):
        return model(self.ids).logits[:, -1:]  # expect: DP153

    def _append(self, token):
        self.ids = torch.cat([self.ids, token], dim=1)  # hint: DP138

    @torch.inference_mode()
    def run(self, limit):
        for _ in range(limit):
            self._append(self._forward().argmax(-1))
        return self.ids


decode(State(torch.zeros(1, 100, dtype=torch.long), 4), 90)
decode_cached(State(torch.zeros(1, 100, dtype=torch.long), 4), 90)
Session(torch.zeros(1, 4, dtype=torch.long)).run(90)
