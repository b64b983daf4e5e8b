import torch
import torch.nn.functional as F
from torch import nn
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, GPT2LMHeadModel, Trainer

model = AutoModelForCausalLM.from_pretrained("gpt2")
masked = AutoModelForMaskedLM.from_pretrained("bert-base-uncased")
criterion = nn.CrossEntropyLoss(ignore_index=-100)


def same_tokens(ids):
    logits = model(input_ids=ids).logits
    return F.cross_entropy(logits.view(-1, logits.size(-1)), ids.view(-1))  # expect: DP984


def of_batch(batch):
    outputs = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"])
    return criterion(outputs.logits.flatten(0, 1), batch["labels"].flatten())  # expect: DP984


def token_loss(logits, labels):
    return F.cross_entropy(logits.float().flatten(0, 1), labels.flatten())  # expect: DP984


class OwnLoss(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = token_loss(outputs.logits, labels)
        return (loss, outputs) if return_outputs else loss


OwnLoss(model=model)


class Module(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = GPT2LMHeadModel.from_pretrained("gpt2")

    def predict(self, batch):
        output = self.net(batch["input_ids"])
        return output["logits"], batch["input_ids"]

    def training_step(self, batch, index):
        logits, labels = self.predict(batch)
        return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1))  # expect: DP984


def of_masked_model(batch):
    logits = masked(input_ids=batch["input_ids"]).logits
    return F.cross_entropy(logits.flatten(0, 1), batch["labels"].flatten())


def next_tokens(ids, following):
    logits = model(input_ids=ids).logits
    return F.cross_entropy(logits.flatten(0, 1), following.flatten())


def last_only(batch):
    logits = model(input_ids=batch["input_ids"]).logits
    return F.cross_entropy(logits[:, -1], batch["answer"])
