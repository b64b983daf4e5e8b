import numpy as np
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, DataCollatorForSeq2Seq, Seq2SeqTrainer, Seq2SeqTrainingArguments

tokenizer = AutoTokenizer.from_pretrained("t5-small")


def make_trainer(data):
    model = AutoModelForSeq2SeqLM.from_pretrained("t5-small")
    arguments = Seq2SeqTrainingArguments("out", predict_with_generate=True, bf16=True)
    return Seq2SeqTrainer(model, arguments, DataCollatorForSeq2Seq(tokenizer, model=model), data["train"])


def by_attribute(data):
    output = make_trainer(data).predict(data["test"])
    references = tokenizer.batch_decode(output.label_ids, skip_special_tokens=True)  # expect: DP933
    return list(zip(tokenizer.batch_decode(output.predictions, skip_special_tokens=True), references))


def unpacked(data):
    trainer = make_trainer(data)
    predictions, labels, metrics = trainer.predict(data["test"])
    print(metrics)
    return tokenizer.batch_decode(labels, skip_special_tokens=True)  # expect: DP933


class Report:
    def __init__(self, data):
        self.trainer = make_trainer(data)
        self.output = self.trainer.predict(data["test"])

    def references(self):
        return tokenizer.batch_decode(self.output.label_ids)  # expect: DP933


# ---- clean --------------------------------------------------------------------------------------------------------


def replaced(data):
    output = make_trainer(data).predict(data["test"])
    labels = np.where(output.label_ids != -100, output.label_ids, tokenizer.pad_token_id)
    return tokenizer.batch_decode(labels, skip_special_tokens=True)


def predictions_only(data):
    return tokenizer.batch_decode(make_trainer(data).predict(data["test"]).predictions)


def metrics_only(data):
    predictions, _, metrics = make_trainer(data).predict(data["test"])
    return tokenizer.batch_decode(predictions), metrics


def of_another(model, data):
    output = model.predict(data)
    return tokenizer.batch_decode(output.label_ids)


def of_batch(batch):
    return tokenizer.batch_decode(batch["input_ids"])
