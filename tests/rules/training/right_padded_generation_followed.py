import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer


def load_tokenizer(name):
    tokenizer = AutoTokenizer.from_pretrained(name, padding_side="right")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


class Evaluator:
    def __init__(self, name):
        self.tokenizer = load_tokenizer(name)
        self.model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16, device_map="auto").eval()

    def collate(self, rows):
        encoded = self.tokenizer([f"Q: {row['question']} A:" for row in rows], padding=True, return_tensors="pt")  # expect: DP839  # hint: DP149
        return encoded, [row["answer"] for row in rows]

    @torch.inference_mode()
    def answer(self, encoded):
        encoded = encoded.to(self.model.device)
        out = self.model.generate(**encoded, max_new_tokens=64)
        return self.tokenizer.batch_decode(out[:, encoded["input_ids"].size(1) :], skip_special_tokens=True)

    def run(self, dataset):
        found = []
        for encoded, wanted in DataLoader(dataset, batch_size=16, collate_fn=self.collate, num_workers=2, pin_memory=True):
            found.append(sum(a.strip() == b for a, b in zip(self.answer(encoded), wanted)))
        return sum(found)


def encode(tokenizer, prompts: list[str]):
    return tokenizer(prompts, padding=True, return_tensors="pt")  # expect: DP839


@torch.inference_mode()
def complete(model, batch):
    return model.generate(**batch, max_new_tokens=20)


def complete_all(name, prompts: list[str]):
    tokenizer = load_tokenizer(name)
    model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16, device_map="auto")
    batch = encode(tokenizer, prompts).to(model.device)
    return tokenizer.batch_decode(complete(model, batch), skip_special_tokens=True)


class Server:
    def __init__(self, name):
        self.tokenizer = load_tokenizer(name)
        self.model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16, device_map="auto").eval()

    def prepare(self, prompts: list[str]):
        return self.tokenizer(prompts, padding="longest", return_tensors="pt").to(self.model.device)  # expect: DP839

    @torch.inference_mode()
    def generate(self, inputs):
        return self.model.generate(input_ids=inputs.input_ids, attention_mask=inputs.attention_mask)

    def __call__(self, prompts: list[str]):
        return self.tokenizer.batch_decode(self.generate(self.prepare(prompts)))


# ---- clean: one prompt, or another model ---------------------------------------------------------------------------


class One:
    def __init__(self, name):
        self.tokenizer = load_tokenizer(name)
        self.model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16, device_map="auto").eval()

    def encode(self, prompt: str):
        return self.tokenizer(prompt, return_tensors="pt").to(self.model.device)

    @torch.inference_mode()
    def run(self, inputs):
        return self.model.generate(**inputs, max_new_tokens=20)

    def __call__(self, prompt: str):
        return self.tokenizer.decode(self.run(self.encode(prompt))[0])
