import numpy as np
from transformers import EarlyStoppingCallback, Trainer, TrainingArguments

both = TrainingArguments("a", fp16=True, bf16=True)  # expect: DP943
one = TrainingArguments("a", fp16=False, bf16=True)


def accuracy(output):
    return {"accuracy": float(np.mean(output.predictions.argmax(-1) == output.label_ids))}


def computed(output):
    return dict(accuracy=float(np.mean(output.predictions.argmax(-1) == output.label_ids)))


def no_data(model, data):
    arguments = TrainingArguments("a", eval_strategy="epoch", bf16=True)
    Trainer(model=model, args=arguments, train_dataset=data).train()  # expect: DP943


def no_metric(model, data, held_out):
    arguments = TrainingArguments("a", eval_strategy="epoch", bf16=True)
    Trainer(
        model=model,
        args=arguments,
        train_dataset=data,
        eval_dataset=held_out,
        callbacks=[EarlyStoppingCallback(3)],  # expect: DP943
    ).train()


def other_metric(model, data, held_out):
    arguments = TrainingArguments(
        "a",
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model="f1",
        bf16=True,
    )
    Trainer(
        model=model,
        args=arguments,
        train_dataset=data,
        eval_dataset=held_out,
        compute_metrics=accuracy,  # expect: DP943
    ).train()
    Trainer(
        model=model, args=arguments, train_dataset=data, eval_dataset=held_out, compute_metrics=computed
    ).train()


def right(model, data, held_out):
    arguments = TrainingArguments(
        "a",
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model="eval_accuracy",
        bf16=True,
    )
    Trainer(
        model=model,
        args=arguments,
        train_dataset=data,
        eval_dataset=held_out,
        compute_metrics=accuracy,
        callbacks=[EarlyStoppingCallback(3)],
    ).train()
    Trainer(model=model, args=TrainingArguments("a", bf16=True), train_dataset=data).train()
