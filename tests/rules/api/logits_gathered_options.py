from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, Trainer


def accuracy(prediction):
    return {"accuracy": float((prediction.predictions.argmax(-1) == prediction.label_ids).mean())}


def build(data):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    parts = {"model": model, "eval_dataset": data, "compute_metrics": accuracy}
    return Trainer(**parts)  # expect: DP157


def reduced(data):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    parts = dict(model=model, eval_dataset=data, compute_metrics=accuracy)
    parts["preprocess_logits_for_metrics"] = lambda logits, labels: logits.argmax(-1)
    return Trainer(**parts)


def classifier(data):
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
    parts = {"model": model, "eval_dataset": data, "compute_metrics": accuracy}
    return Trainer(**parts)


def of_caller(data, parts):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    return Trainer(model=model, eval_dataset=data, compute_metrics=accuracy, **parts)
