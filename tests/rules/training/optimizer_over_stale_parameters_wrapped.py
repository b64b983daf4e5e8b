# Adapters that a function adds after the optimizer was created.
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForSequenceClassification


def make_optimizer(net, rate):
    chosen = [p for p in net.parameters() if p.requires_grad]
    adam = torch.optim.AdamW(chosen, lr=rate)
    return adam, torch.optim.lr_scheduler.StepLR(adam, 10)


def with_adapters(net, rank):
    net = get_peft_model(net, LoraConfig(r=rank))
    net.print_trainable_parameters()
    return net


def returned(net):
    return get_peft_model(model=net, peft_config=LoraConfig(r=4))


def wrapped_later():
    model = AutoModelForSequenceClassification.from_pretrained("roberta-base")
    optimizer, schedule = make_optimizer(model, 1e-4)
    model = with_adapters(model, 8).to("cuda")  # expect: DP814
    return model, optimizer, schedule


def directly():
    model = AutoModelForSequenceClassification.from_pretrained("roberta-base")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model = get_peft_model(model, LoraConfig(r=8)).cuda()  # expect: DP814
    return model, optimizer


def by_return():
    model = AutoModelForSequenceClassification.from_pretrained("roberta-base")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model = returned(model)  # expect: DP814
    return model, optimizer


# ---- silent


def wrapped_first():
    model = AutoModelForSequenceClassification.from_pretrained("roberta-base")
    model = with_adapters(model, 8).to("cuda")
    optimizer, schedule = make_optimizer(model, 1e-4)
    return model, optimizer, schedule


def made_again():
    model = AutoModelForSequenceClassification.from_pretrained("roberta-base")
    optimizer, schedule = make_optimizer(model, 1e-4)
    model = with_adapters(model, 8)
    optimizer, schedule = make_optimizer(model, 1e-4)
    return model, optimizer, schedule


def another_model(teacher):
    model = AutoModelForSequenceClassification.from_pretrained("roberta-base")
    optimizer, schedule = make_optimizer(model, 1e-4)
    teacher = with_adapters(teacher, 8)
    return model, teacher, optimizer, schedule


def only_moved():
    model = AutoModelForSequenceClassification.from_pretrained("roberta-base")
    optimizer, schedule = make_optimizer(model, 1e-4)
    model = prepared(model)
    return model, optimizer, schedule


def prepared(net):
    net.gradient_checkpointing_enable()
    return net
