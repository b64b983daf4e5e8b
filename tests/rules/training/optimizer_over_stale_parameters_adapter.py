import torch
from peft import LoraConfig, get_peft_model
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from transformers import AutoModelForCausalLM


def adapter():
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model = get_peft_model(model, LoraConfig(r=8))  # expect: DP814
    return model, optimizer


def shards(net, local):
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)
    model = FSDP(net, device_id=local)  # expect: DP814
    return model, optimizer


def tokens(tokenizer):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model.resize_token_embeddings(len(tokenizer))  # expect: DP814 # hint: DP520
    return model, optimizer


def right(tokenizer, local):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    model.resize_token_embeddings(len(tokenizer))  # hint: DP520
    model = get_peft_model(model, LoraConfig(r=8))
    model = FSDP(model, device_id=local)
    return model, torch.optim.AdamW(model.parameters(), lr=1e-4)


def made_again(net, local):
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)
    model = FSDP(net, device_id=local)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    return model, optimizer
