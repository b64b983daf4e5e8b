import numpy as np
from transformers import AutoTokenizer, Seq2SeqTrainer, Seq2SeqTrainingArguments, Trainer, TrainingArguments

tokenizer = AutoTokenizer.from_pretrained("t5-small")


def lengths(output):
    return {"length": len(tokenizer.batch_decode(output.predictions, skip_special_tokens=True)[0])}


def lengths_of_best(output):
    return {"length": len(tokenizer.batch_decode(np.argmax(output.predictions[0], -1))[0])}


def bare(model, data):
    settings = Seq2SeqTrainingArguments("out", bf16=True)
    Seq2SeqTrainer(model=model, args=settings, train_dataset=data, compute_metrics=lengths).train()  # expect: DP932


class Run:
    def __init__(self, model, data):
        self.trainer = Seq2SeqTrainer(
            model,
            Seq2SeqTrainingArguments("out", predict_with_generate=False),
            train_dataset=data,
            compute_metrics=self.score,  # expect: DP932
        )

    def score(self, output):
        return {"first": len(tokenizer.batch_decode(output.predictions)[0])}


def right(model, data):
    settings = Seq2SeqTrainingArguments("out", bf16=True, predict_with_generate=True)
    Seq2SeqTrainer(model=model, args=settings, train_dataset=data, compute_metrics=lengths).train()
    Seq2SeqTrainer(
        model=model,
        args=Seq2SeqTrainingArguments("out"),
        train_dataset=data,
        compute_metrics=lengths,
        preprocess_logits_for_metrics=lambda logits, labels: logits[0].argmax(-1),
    ).train()
    Seq2SeqTrainer(
        model=model, args=Seq2SeqTrainingArguments("out"), train_dataset=data, compute_metrics=lengths_of_best
    ).train()
    Trainer(model=model, args=TrainingArguments("out"), train_dataset=data, compute_metrics=lengths).train()
