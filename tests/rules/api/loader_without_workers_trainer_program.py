from datasets import load_dataset
from transformers import AutoImageProcessor, ViTForImageClassification, Trainer, TrainingArguments
import torch

processor = AutoImageProcessor.from_pretrained("google/vit-base-patch16-224-in21k")


def transform(examples):
    out = processor([im.convert("RGB") for im in examples["image"]], return_tensors="pt")
    out["labels"] = examples["label"]
    return out


def collate(rows):
    return {"pixel_values": torch.stack([r["pixel_values"] for r in rows]), "labels": torch.tensor([r["labels"] for r in rows])}


def main():
    ds = load_dataset("food101", split="train").train_test_split(0.1).with_transform(transform)
    net = ViTForImageClassification.from_pretrained("google/vit-base-patch16-224-in21k", num_labels=101)
    args = TrainingArguments(
        "vit",
        per_device_train_batch_size=64,
        num_train_epochs=4,
        bf16=True,
        remove_unused_columns=False,
        save_strategy="epoch",
    )
    Trainer(net, args, data_collator=collate, train_dataset=ds["train"], eval_dataset=ds["test"]).train()  # expect: DP130


if __name__ == "__main__":
    main()
