from dataclasses import dataclass

import numpy as np
import torch
from transformers import AutoTokenizer, DataCollatorForSeq2Seq, Seq2SeqTrainer, Seq2SeqTrainingArguments

tokenizer = AutoTokenizer.from_pretrained("t5-small")
arguments = Seq2SeqTrainingArguments("out", bf16=True, predict_with_generate=True)
collator = DataCollatorForSeq2Seq(tokenizer)


def decode(ids):
    return [text.strip() for text in tokenizer.batch_decode(ids, skip_special_tokens=True)]  # expect: DP933


def through_function(output):
    predictions, labels = output
    predictions = np.where(predictions != -100, predictions, tokenizer.pad_token_id)
    return {"exact": float(np.mean([a == b for a, b in zip(decode(predictions), decode(labels))]))}


class Exact:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def text(self, ids):
        return self.tokenizer.batch_decode(ids, skip_special_tokens=True)  # expect: DP933

    def __call__(self, output):
        given = np.where(output.predictions != -100, output.predictions, 0)
        return {"exact": sum(a == b for a, b in zip(self.text(given), self.text(output.label_ids)))}


def by_index(output):
    given, wanted = output[0], output[1]
    given[given == -100] = tokenizer.pad_token_id
    texts = tokenizer.batch_decode(np.asarray(wanted), skip_special_tokens=True)  # expect: DP933
    return {"exact": sum(a == b for a, b in zip(tokenizer.batch_decode(given), texts))}


def one_by_one(output):
    predictions, labels = output
    predictions = np.where(predictions < 0, tokenizer.pad_token_id, predictions)
    wanted = [tokenizer.decode(row, skip_special_tokens=True) for row in labels]  # expect: DP933
    return {"exact": sum(a == b for a, b in zip(tokenizer.batch_decode(predictions), wanted))}


def train_all(model, data):
    for_pair = Seq2SeqTrainer(model, arguments, collator, data, compute_metrics=through_function)
    for_object = Seq2SeqTrainer(model, arguments, collator, data, compute_metrics=Exact(tokenizer))
    for_index = Seq2SeqTrainer(model, arguments, collator, data, compute_metrics=by_index)
    for_rows = Seq2SeqTrainer(model, arguments, collator, data, compute_metrics=one_by_one)
    return [one.train() for one in (for_pair, for_object, for_index, for_rows)]


# ---- clean: they are replaced, somewhere --------------------------------------------------------------------------


def clean_ids(ids):
    return np.where(ids == -100, tokenizer.pad_token_id, ids)


def clean_decode(ids):
    return tokenizer.batch_decode(clean_ids(ids), skip_special_tokens=True)


def replaced_by_function(output):
    predictions, labels = output
    return {"exact": sum(a == b for a, b in zip(clean_decode(predictions), clean_decode(labels)))}


def replaced_in_place(output):
    predictions, labels = output
    labels[labels == -100] = tokenizer.pad_token_id
    return {"exact": sum(a == b for a, b in zip(clean_decode(predictions), tokenizer.batch_decode(labels)))}


def in_place(ids):
    ids[ids < 0] = 0
    return ids


def replaced_in_place_elsewhere(output):
    predictions, labels = output
    wanted = tokenizer.batch_decode(in_place(labels), skip_special_tokens=True)
    return {"exact": sum(a == b for a, b in zip(clean_decode(predictions), wanted))}


def put_mask(output):
    predictions, labels = output
    np.putmask(labels, labels == -100, tokenizer.pad_token_id)
    return {"exact": sum(a == b for a, b in zip(clean_decode(predictions), tokenizer.batch_decode(labels)))}


def dropped(output):
    predictions, labels = output
    wanted = [tokenizer.decode([one for one in row if one != -100]) for row in labels]
    return {"exact": sum(a == b for a, b in zip(clean_decode(predictions), wanted))}


def selected(output):
    predictions, labels = output
    wanted = [tokenizer.decode(row[row != -100]) for row in labels]
    return {"exact": sum(a == b for a, b in zip(clean_decode(predictions), wanted))}


@dataclass
class Filled:
    pad: int

    def __call__(self, output):
        labels = torch.as_tensor(output.label_ids)
        labels = labels.masked_fill(labels == -100, self.pad)
        return {"texts": len(tokenizer.batch_decode(labels)), "tokens": int((labels != self.pad).sum())}


def predictions_only(output):
    predictions, _ = output
    return {"length": float(np.mean([len(text) for text in tokenizer.batch_decode(clean_ids(predictions))]))}


def train_clean(model, data, eval_data):
    one = Seq2SeqTrainer(model, arguments, collator, data, eval_data, compute_metrics=replaced_by_function)
    two = Seq2SeqTrainer(model, arguments, collator, data, eval_data, compute_metrics=replaced_in_place)
    three = Seq2SeqTrainer(model, arguments, collator, data, eval_data, compute_metrics=replaced_in_place_elsewhere)
    four = Seq2SeqTrainer(model, arguments, collator, data, eval_data, compute_metrics=put_mask)
    five = Seq2SeqTrainer(model, arguments, collator, data, eval_data, compute_metrics=dropped)
    six = Seq2SeqTrainer(model, arguments, collator, data, eval_data, compute_metrics=Filled(0))
    seven = Seq2SeqTrainer(model, arguments, collator, data, eval_data, compute_metrics=predictions_only)
    eight = Seq2SeqTrainer(model, arguments, collator, data, eval_data, compute_metrics=selected)
    return [trainer.train() for trainer in (one, two, three, four, five, six, seven, eight)]
