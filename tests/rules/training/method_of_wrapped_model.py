import torch
from accelerate import Accelerator
from torch.nn.parallel import DistributedDataParallel
from transformers import AutoModelForCausalLM


def prepared(loader):
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained("out")  # expect: DP941


class Run:
    def __init__(self, loader):
        self.accelerator = Accelerator()
        self.model = AutoModelForCausalLM.from_pretrained("gpt2")
        self.model, self.loader = self.accelerator.prepare(self.model, loader)

    @torch.no_grad()
    def samples(self):
        return [self.model.generate(**batch, max_new_tokens=20) for batch in self.loader]  # expect: DP941


@torch.no_grad()
def answers(model, batches):
    return [model.generate(**batch, max_new_tokens=20) for batch in batches]  # expect: DP941


def evaluate(loader):
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    model, loader = accelerator.prepare(model, loader)
    return answers(model, loader)


def wrapped(rank):
    model = AutoModelForCausalLM.from_pretrained("gpt2").to(rank)
    model = DistributedDataParallel(model, device_ids=[rank])
    if rank == 0:
        model.save_pretrained("out")  # expect: DP941


def inside(rank):
    model = AutoModelForCausalLM.from_pretrained("gpt2").to(rank)
    model = DistributedDataParallel(model, device_ids=[rank])
    if rank == 0:
        model.module.save_pretrained("out")


def unwrapped(loader):
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    model, loader = accelerator.prepare(model, loader)
    accelerator.unwrap_model(model).save_pretrained("out")
    model = accelerator.unwrap_model(model)
    model.save_pretrained("out")


def before(loader):
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    model.resize_token_embeddings(50304)
    model, loader = accelerator.prepare(model, loader)
    return model, loader
