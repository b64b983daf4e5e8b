# The arguments are in a dictionary, and the transform is a partial function.
from functools import partial

from datasets import load_dataset
from transformers import AutoModelForImageClassification, Trainer, TrainingArguments


def apply(rows, transform):
    return {"pixel_values": [transform(image) for image in rows["image"]], "label": rows["label"]}


def train(transform):
    data = load_dataset("food101", split="train").with_transform(partial(apply, transform=transform))
    model = AutoModelForImageClassification.from_pretrained("google/vit-base-patch16-224-in21k")
    settings = {"output_dir": "out", "bf16": True, "dataloader_num_workers": 8}
    Trainer(model=model, args=TrainingArguments(**settings), train_dataset=data).train()  # expect: DP843
