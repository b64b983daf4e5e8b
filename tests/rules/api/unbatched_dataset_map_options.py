import lightning as L
import torch
import torch.nn.functional as F
from accelerate import Accelerator
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments

LOG = {"on_step": True, "sync_dist": True}  # expect: DP410
EPOCH_LOG = {"on_step": False, "on_epoch": True, "sync_dist": True}
MAP = {"remove_columns": ["text"]}
TOKENIZER = dict(use_fast=False, model_max_length=512)  # expect: DP148
SAVES = {"output_dir": "out", "bf16": True, "save_steps": 5}  # expect: DP184
TRAINER = {"accelerator": "gpu", "devices": 1, "detect_anomaly": True, "precision": "bf16-mixed"}
ACCELERATOR = {"mixed_precision": "bf16", "gradient_accumulation_steps": 8}  # expect: DP831
LENGTH = {"max_length": 128, "padding": True}  # expect: DP199


class Net(L.LightningModule):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def training_step(self, batch, index):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("loss", loss, **LOG)
        self.log("epoch_loss", loss, **EPOCH_LOG)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


class Encode:
    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name, **TOKENIZER)

    def __call__(self, example):
        return self.tokenizer(example["text"], truncation=True)


def encoded():
    return load_dataset("imdb").map(Encode("bert-base-uncased"), **MAP)  # expect: DP142


def cut(texts):
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
    return tokenizer(texts, **LENGTH)


def fit(net, data):
    L.Trainer(**TRAINER).fit(Net(net), data)  # expect: DP136


def train(data):
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
    Trainer(model=model, args=TrainingArguments(**SAVES), train_dataset=data).train()


def train_by_hand(loader):
    accelerator = Accelerator(**ACCELERATOR)
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()
