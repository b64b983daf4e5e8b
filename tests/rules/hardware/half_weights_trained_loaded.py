import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

half = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.float16)  # expect: DP522
full = AutoModelForCausalLM.from_pretrained("gpt2")
brain = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.bfloat16)
only_asked = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.float16)


def train(data):
    Trainer(model=half, args=TrainingArguments("a", fp16=True), train_dataset=data).train()
    Trainer(model=full, args=TrainingArguments("a", fp16=True), train_dataset=data).train()
    Trainer(model=brain, args=TrainingArguments("a", bf16=True), train_dataset=data).train()
