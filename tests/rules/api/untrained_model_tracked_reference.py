import copy

import torch
import torch.nn.functional as F
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, Trainer, TrainingArguments


def log_probs(model, batch):
    logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
    return -F.cross_entropy(logits.transpose(1, 2), batch["labels"], reduction="none").sum(-1)


def make_reference(policy):
    reference = copy.deepcopy(policy)
    reference.eval()
    return reference


def make_frozen(policy):
    reference = copy.deepcopy(policy)
    reference.requires_grad_(False)
    return reference


def train(loader):
    policy = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
    reference = make_reference(policy)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-6)
    for batch in loader:
        ours = log_probs(policy, batch)
        theirs = log_probs(batch=batch, model=reference)  # expect: DP159
        loss = -F.logsigmoid(ours - theirs).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train_with_frozen(loader):
    policy = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
    reference = make_frozen(policy)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-6)
    for batch in loader:
        loss = -F.logsigmoid(log_probs(policy, batch) - log_probs(reference, batch)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train_without_graph(loader):
    policy = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
    reference = make_reference(policy)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-6)
    for batch in loader:
        with torch.no_grad():
            theirs = log_probs(reference, batch)
        loss = -F.logsigmoid(log_probs(policy, batch) - theirs).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Distiller(Trainer):
    def __init__(self, *args, teacher=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.teacher = teacher.to(self.args.device).eval()

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        told = self.teacher(**inputs)  # expect: DP159
        loss = outputs.loss + F.kl_div(outputs.logits.log_softmax(-1), told.logits.softmax(-1), reduction="batchmean")
        return (loss, outputs) if return_outputs else loss


def distill(data):
    student = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased")
    teacher = AutoModelForSequenceClassification.from_pretrained("bert-large-uncased")
    Distiller(model=student, args=TrainingArguments("out", bf16=True), train_dataset=data, teacher=teacher).train()
