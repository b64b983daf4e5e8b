# Methods that the Trainer calls with `num_items_in_batch`.
import torch
from transformers import Seq2SeqTrainer, Trainer


class Weighted(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):  # expect: DP308
        outputs = model(**inputs)
        loss = outputs.loss * 2
        return (loss, outputs) if return_outputs else loss


class Below(Weighted):
    def training_step(self, model, inputs):
        return super().training_step(model, inputs)


class Summary(Seq2SeqTrainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        outputs = model(**inputs)
        return (outputs.loss, outputs) if return_outputs else outputs.loss


class Named(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        return (outputs.loss, outputs) if return_outputs else outputs.loss


class Open(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        outputs = model(**inputs)
        return (outputs.loss, outputs) if return_outputs else outputs.loss

    def training_step(self, *args):
        return super().training_step(*args)


class Other:
    def compute_loss(self, model, inputs, return_outputs=False):
        return model(**inputs).loss


class WithThree(Trainer):
    def training_step(self, model, inputs, items=None):
        return super().training_step(model, inputs, items)


def trainers(model, tokenizer, args, data):
    first = Trainer(model=model, args=args, train_dataset=data, tokenizer=tokenizer)  # expect: DP303
    return first, Trainer(model=model, args=args, train_dataset=data, processing_class=tokenizer)
