import torch.nn.functional as F
from transformers import AutoModelForCausalLM, Trainer

model = AutoModelForCausalLM.from_pretrained("gpt2")


def shifted(batch):
    logits = model(input_ids=batch["input_ids"]).logits
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), batch["labels"][:, 1:].flatten())


def collate(rows):
    return {"input_ids": [row[:-1] for row in rows], "labels": [row[1:] for row in rows]}


class OwnLoss(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = F.cross_entropy(outputs.logits.flatten(0, 1), labels.flatten())
        return (loss, outputs) if return_outputs else loss


OwnLoss(model=model, data_collator=collate)
