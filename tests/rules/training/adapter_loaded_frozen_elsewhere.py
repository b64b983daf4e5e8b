import torch
from accelerate import Accelerator
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def attach(base, adapter):
    if adapter is not None:
        return PeftModel.from_pretrained(base, adapter)  # expect: DP930
    return get_peft_model(base, LoraConfig(r=8, lora_alpha=16, task_type="CAUSAL_LM"))


def resume(adapter, data):
    model = attach(AutoModelForCausalLM.from_pretrained("gpt2"), adapter)
    arguments = TrainingArguments("out", bf16=True, learning_rate=1e-4)
    Trainer(model=model, args=arguments, train_dataset=data).train()


class Session:
    def __init__(self, base, adapter):
        self.policy = PeftModel.from_pretrained(base, adapter)  # expect: DP930
        self.optimizer = torch.optim.AdamW(self.policy.parameters(), lr=1e-4)


def with_accelerate(base, adapter, rate):
    accelerator = Accelerator()
    model = PeftModel.from_pretrained(base, adapter)  # expect: DP930
    model = model.to(accelerator.device)
    optimizer = torch.optim.AdamW([{"params": model.parameters()}], lr=rate)
    return accelerator.prepare(model, optimizer)


class WeightedTrainer(Trainer):
    def get_decay(self):
        return 0.1


def with_subclass(base, adapter, arguments, data):
    loaded = PeftModel.from_pretrained(base, adapter)  # expect: DP930
    WeightedTrainer(model=loaded, args=arguments, train_dataset=data).train()


# ---- clean -------------------------------------------------------------------------------------------------------


def answer(base, adapter, prompt):
    model = PeftModel.from_pretrained(base, adapter)
    return model.generate(**prompt, max_new_tokens=20)


def teacher_and_student(base, student, adapter, arguments, data):
    teacher = PeftModel.from_pretrained(base, adapter)
    trainer = Trainer(model=student, args=arguments, train_dataset=data)
    trainer.teacher = teacher
    trainer.train()


def trained_before(base, arguments, data, adapter):
    fresh = get_peft_model(base, LoraConfig(r=8, lora_alpha=16, task_type="CAUSAL_LM"))
    Trainer(model=fresh, args=arguments, train_dataset=data).train()
    fresh.save_pretrained(adapter)
    return PeftModel.from_pretrained(base, adapter)


def head_on_top(base, adapter, size):
    features = PeftModel.from_pretrained(base, adapter)
    head = torch.nn.Linear(size, 2)
    return features, head, torch.optim.AdamW(head.parameters(), lr=1e-3)


def options_unknown(base, adapter, options, arguments, data):
    model = PeftModel.from_pretrained(base, adapter, **options)
    Trainer(model=model, args=arguments, train_dataset=data).train()
