import numpy as np
from transformers import AutoTokenizer, Seq2SeqTrainer, Seq2SeqTrainingArguments

tokenizer = AutoTokenizer.from_pretrained("t5-small")
settings = Seq2SeqTrainingArguments("out", bf16=True, predict_with_generate=True)


def from_pair(output):
    predictions, labels = output
    given = tokenizer.batch_decode(predictions, skip_special_tokens=True)
    wanted = tokenizer.batch_decode(labels, skip_special_tokens=True)  # expect: DP933
    return {"exact": sum(a == b for a, b in zip(given, wanted)) / len(wanted)}


def from_attribute(output):
    labels = output.label_ids
    return {"first": len(tokenizer.batch_decode(labels, skip_special_tokens=True)[0])}  # expect: DP933


def directly(p):
    return {"first": len(tokenizer.batch_decode(p.label_ids)[0])}  # expect: DP933


def replaced(output):
    predictions, labels = output
    labels = np.where(labels != -100, labels, tokenizer.pad_token_id)
    return {"first": len(tokenizer.batch_decode(labels)[0]) + len(predictions)}


def only_predictions(output):
    predictions, labels = output
    return {"first": len(tokenizer.batch_decode(predictions)[0]) + len(labels)}


def train(model, data):
    for metrics in (from_pair, from_attribute):
        print(metrics)
    Seq2SeqTrainer(model=model, args=settings, train_dataset=data, compute_metrics=from_pair).train()
    Seq2SeqTrainer(model=model, args=settings, train_dataset=data, compute_metrics=from_attribute).train()
    Seq2SeqTrainer(model=model, args=settings, train_dataset=data, compute_metrics=directly).train()
    Seq2SeqTrainer(model=model, args=settings, train_dataset=data, compute_metrics=replaced).train()
    Seq2SeqTrainer(model=model, args=settings, train_dataset=data, compute_metrics=only_predictions).train()
