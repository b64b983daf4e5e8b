import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments


def answer(name, texts):
    tokenizer = AutoTokenizer.from_pretrained(name)
    model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16).cuda()
    model.eval()
    if torch.__version__ >= "2" and sys.platform != "win32":
        model = torch.compile(model)  # expect: DP264

    def reply(text):
        ids = tokenizer(text, return_tensors="pt").to("cuda")
        with torch.inference_mode():
            return model.generate(**ids, max_new_tokens=64)

    return reply(texts)


def train(name, data):
    model = AutoModelForCausalLM.from_pretrained(name)
    trainer = Trainer(model=model, train_dataset=data, args=TrainingArguments("out"))
    model.config.use_cache = False
    model = torch.compile(model)  # expect: DP264
    trainer.train()
    model.save_pretrained("out")


def before(name, data):
    model = AutoModelForCausalLM.from_pretrained(name)
    model = torch.compile(model)
    trainer = Trainer(model=model, train_dataset=data, args=TrainingArguments("out"))
    trainer.train()


def called(name, x):
    model = AutoModelForCausalLM.from_pretrained(name)
    model = torch.compile(model)
    return model(x).logits


def handed(name, run):
    model = AutoModelForCausalLM.from_pretrained(name)
    model = torch.compile(model)
    return run(model)
