# The reference model is handed to functions that only run it.
import copy

import torch
import torch.nn.functional as F
from transformers import AutoModelForCausalLM


def log_probs(model, ids):
    logits = model(input_ids=ids).logits[:, :-1]
    return logits.log_softmax(-1).gather(-1, ids[:, 1:].unsqueeze(-1)).squeeze(-1).sum(-1)


class Preference:
    def __init__(self, name):
        self.policy = AutoModelForCausalLM.from_pretrained(name)
        self.reference = copy.deepcopy(self.policy).eval()
        self.optimizer = torch.optim.AdamW(self.policy.parameters(), lr=1e-6)

    def pair(self, model, batch):
        return log_probs(model, batch["chosen"]), log_probs(model, batch["rejected"])

    def loss(self, batch):
        chosen, rejected = self.pair(self.policy, batch)
        ref_chosen, ref_rejected = self.pair(self.reference, batch)  # expect: DP159
        return -F.logsigmoid(0.1 * (chosen - rejected - ref_chosen + ref_rejected)).mean()

    def loss_without_graph(self, batch):
        chosen, rejected = self.pair(self.policy, batch)
        with torch.no_grad():
            ref_chosen, ref_rejected = self.pair(self.reference, batch)
        return -F.logsigmoid(0.1 * (chosen - rejected - ref_chosen + ref_rejected)).mean()

    def fit(self, loader, use_graph):
        for batch in loader:
            loss = self.loss(batch) if use_graph else self.loss_without_graph(batch)
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
