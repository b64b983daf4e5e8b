import lightning as L
import torch
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments

OPTIONS = {"accelerator": "gpu", "devices": 1, "precision": "32-true"}  # expect: DP513


def train(data, half):
    model = AutoModelForSequenceClassification.from_pretrained("roberta-large")
    arguments = TrainingArguments(output_dir="out", learning_rate=1e-5)  # expect: DP513
    Trainer(model=model, args=arguments, train_dataset=data).train()
    Trainer(model=model, args=TrainingArguments("out", bf16=True), train_dataset=data).train()
    Trainer(model=model, args=TrainingArguments("out", fp16=half), train_dataset=data).train()
    light = AutoModelForSequenceClassification.from_pretrained("roberta-large", torch_dtype=torch.bfloat16)
    Trainer(model=light, args=TrainingArguments("out"), train_dataset=data).train()


def fit(module, data):
    L.Trainer(**OPTIONS).fit(module, data)
    L.Trainer(accelerator="gpu", devices=1).fit(module, data)  # hint: DP513
    L.Trainer(accelerator="gpu", precision="bf16-mixed").fit(module, data)
    L.Trainer(accelerator="auto").fit(module, data)
