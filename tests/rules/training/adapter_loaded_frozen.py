import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, Trainer


def with_trainer(arguments, data):
    base = AutoModelForCausalLM.from_pretrained("gpt2")
    model = PeftModel.from_pretrained(base, "adapter")  # expect: DP930
    Trainer(model=model, args=arguments, train_dataset=data).train()


class Tuner:
    def __init__(self, base):
        self.model = PeftModel.from_pretrained(base, "adapter")  # expect: DP930
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)


def with_optimizer(base, loader):
    model = PeftModel.from_pretrained(base, "adapter")  # expect: DP930
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for batch in loader:
        model(**batch).loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def only_evaluated(base, loader):
    model = PeftModel.from_pretrained(base, "adapter")
    with torch.no_grad():
        return [model(**batch).loss for batch in loader]


def another_is_trained(base, student):
    teacher = PeftModel.from_pretrained(base, "adapter")
    return teacher, torch.optim.AdamW(student.parameters(), lr=1e-4)
