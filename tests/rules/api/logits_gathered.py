from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    GPT2LMHeadModel,
    Seq2SeqTrainer,
    Trainer,
)


def best(logits, labels):
    return logits.argmax(dim=-1)


def causal(dataset, metrics):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    return Trainer(
        model=model,
        eval_dataset=dataset,
        compute_metrics=metrics,  # expect: DP157
    )


def make():
    return GPT2LMHeadModel.from_pretrained("gpt2")


def from_helper(dataset, metrics):
    model = make()
    return Trainer(model, eval_dataset=dataset, compute_metrics=metrics)  # expect: DP157


def reduced(dataset, metrics):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    return Trainer(
        model=model, eval_dataset=dataset, compute_metrics=metrics, preprocess_logits_for_metrics=best
    )


def no_metrics(dataset):
    return Trainer(model=AutoModelForCausalLM.from_pretrained("gpt2"), eval_dataset=dataset)


def few_labels(dataset, metrics):
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
    return Trainer(model=model, eval_dataset=dataset, compute_metrics=metrics)


def generates(dataset, metrics):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    return Seq2SeqTrainer(model=model, eval_dataset=dataset, compute_metrics=metrics)
