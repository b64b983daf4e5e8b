import torch
from transformers import AutoModel, AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
encoder = AutoModel.from_pretrained("bert-base-uncased").to("cuda").eval()
left = AutoModel.from_pretrained("bert-base-uncased").eval()


@torch.no_grad()
def embed(texts: list[str]):
    batch = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    return encoder(**batch).last_hidden_state[:, 0]  # expect: DP942


@torch.no_grad()
def embed_left(texts: list[str]):
    batch = tokenizer(texts, padding=True, truncation=True, return_tensors="pt").to("cuda")
    return left(**batch).last_hidden_state[:, 0]  # expect: DP942


@torch.no_grad()
def embed_right(texts: list[str]):
    batch = tokenizer(texts, padding=True, truncation=True, return_tensors="pt").to("cuda")
    return encoder(**batch).last_hidden_state[:, 0]


@torch.no_grad()
def embed_in_place(texts: list[str]):
    batch = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    batch.to("cuda")
    return encoder(**batch).last_hidden_state[:, 0]


@torch.no_grad()
def embed_entries(texts: list[str]):
    batch = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    batch = {name: value.to("cuda") for name, value in batch.items()}
    return encoder(**batch).last_hidden_state[:, 0]


@torch.no_grad()
def embed_on_cpu(texts: list[str]):
    batch = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    return left(**batch).last_hidden_state[:, 0]


class Writer:
    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.float16).cuda()
        self.mapped = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.float16, device_map="auto")

    def write(self, prompt):
        return self.model.generate(**self.tokenizer(prompt, return_tensors="pt"), max_new_tokens=20)  # expect: DP942

    def write_mapped(self, prompt):
        return self.mapped.generate(**self.tokenizer(prompt, return_tensors="pt"), max_new_tokens=20)
