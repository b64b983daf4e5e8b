# What was generated so far grows as a list, a text or a buffer.
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.float16).cuda().eval()
tokenizer = AutoTokenizer.from_pretrained("gpt2")


@torch.no_grad()
def from_list(prompt, count):
    ids = tokenizer.encode(prompt)
    while len(ids) < count:
        logits = model(torch.tensor([ids], device="cuda")).logits  # expect: DP153
        ids.append(logits[0, -1].argmax())
    return tokenizer.decode(ids)


@torch.no_grad()
def from_text(text, count):
    for _ in range(count):
        enc = tokenizer(text, return_tensors="pt").to("cuda")
        text += tokenizer.decode(model(**enc).logits[0, -1].argmax())  # expect: DP153
    return text


@torch.inference_mode()
def from_buffer(prefix, length):
    start = prefix.size(1)
    tokens = torch.empty(1, start + length, dtype=torch.long, device="cuda")
    tokens[:, :start] = prefix
    for position in range(start, start + length):
        out = model(tokens[:, :position])  # expect: DP153
        tokens[:, position] = out.logits[:, -1].argmax(-1)
    return tokens


@torch.inference_mode()
def with_cache(prefix, length):
    tokens = [prefix]
    past = None
    step = prefix
    for _ in range(length):  # hint: DP183
        out = model(step, past_key_values=past, use_cache=True)
        past = out.past_key_values
        step = out.logits[:, -1:].argmax(-1)
        tokens.append(step)
    return torch.cat(tokens, 1)


@torch.inference_mode()
def scores(batches):
    found = []
    for batch in batches:
        found.append(model(batch).logits.mean())
    return found
