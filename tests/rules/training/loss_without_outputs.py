import torch
from transformers import Trainer


class Alone(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        loss = torch.nn.functional.cross_entropy(model(**inputs).logits, labels)
        return loss  # expect: DP944


class Right(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        outputs = model(**inputs)
        loss = torch.nn.functional.cross_entropy(outputs.logits, inputs["labels"])
        return (loss, outputs) if return_outputs else loss


class Delegating(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        return super().compute_loss(model, inputs, return_outputs, **kwargs)


class OwnStep(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        return model(**inputs).loss

    def prediction_step(self, model, inputs, prediction_loss_only, ignore_keys=None):
        return model(**inputs).loss.detach(), None, None


class Plain:
    def compute_loss(self, model, inputs, return_outputs=False):
        loss = model(**inputs).loss
        return loss
