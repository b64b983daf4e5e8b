# A function runs the model that it is given: the one that is trained, or the reference.
import torch
from transformers import AutoModelForCausalLM


def log_probs(model, ids):
    return model(ids).logits.log_softmax(-1).gather(-1, ids.unsqueeze(-1)).squeeze(-1)


def train(loader):
    policy = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
    reference = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-6)
    for ids in loader:
        ratio = log_probs(policy, ids) - log_probs(reference, ids)  # expect: DP159
        optimizer.zero_grad()
        (-ratio.mean()).backward()
        optimizer.step()


def train_right(loader):
    policy = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
    reference = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-6)
    for ids in loader:
        with torch.no_grad():
            wanted = log_probs(reference, ids)
        ratio = log_probs(policy, ids) - wanted
        optimizer.zero_grad()
        (-ratio.mean()).backward()
        optimizer.step()


def train_both(loader):
    first = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
    second = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
    optimizer = torch.optim.AdamW([*first.parameters(), *second.parameters()], lr=1e-6)
    for ids in loader:
        loss = (log_probs(first, ids) - log_probs(second, ids)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
