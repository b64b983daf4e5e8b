import torch
from torch.utils.data import DataLoader, Dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


class Texts(Dataset):
    def __init__(self, texts, labels):
        encoded = [self.encode(text) for text in texts]
        self.ids = torch.stack([one["input_ids"] for one in encoded])
        self.masks = torch.stack([one["attention_mask"] for one in encoded])
        self.labels = labels

    def encode(self, text):
        encoded = tokenizer(text, padding="max_length", truncation=True, max_length=128)  # expect: DP150
        return {name: torch.tensor(value) for name, value in encoded.items()}

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return {
            "input_ids": self.ids[index],
            "attention_mask": self.masks[index],
            "labels": self.labels[index],
        }


def train(texts, labels):
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    loader = DataLoader(Texts(texts, labels), batch_size=8, shuffle=True, num_workers=2)
    for batch in loader:
        optimizer.zero_grad()
        outputs = model(batch["input_ids"], labels=batch["labels"])  # expect: DP901
        outputs.loss.backward()
        optimizer.step()


def train_right(texts, labels):
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    loader = DataLoader(Texts(texts, labels), batch_size=8, shuffle=True, num_workers=2)
    for batch in loader:
        optimizer.zero_grad()
        outputs = model(
            batch["input_ids"],
            attention_mask=batch["attention_mask"],
            labels=batch["labels"],
        )
        outputs.loss.backward()
        optimizer.step()
