import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.bfloat16).eval()


@torch.inference_mode()
def stream(ids, steps):
    for _ in range(steps):
        out = model(input_ids=ids, use_cache=False)  # expect: DP153
        new = out.logits[:, -1].argmax(-1, keepdim=True)
        yield new
        ids = torch.cat([ids, new], dim=-1)


@torch.inference_mode()
def stream_with_cache(ids, steps):
    cache = None
    for _ in range(steps):
        out = model(input_ids=ids, past_key_values=cache, use_cache=True)
        cache = out.past_key_values
        new = out.logits[:, -1].argmax(-1, keepdim=True)
        yield new
        ids = new
