import torch
from transformers import AutoModelForCausalLM, GenerationConfig

model = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.bfloat16).eval()
IGNORED = dict(max_new_tokens=128, temperature=0.7, top_p=0.95)
SAMPLED = dict(max_new_tokens=128, temperature=0.7, do_sample=True)

config = GenerationConfig(**IGNORED)  # expect: DP887
fine = GenerationConfig(**SAMPLED)


def write(ids, mask):
    a = model.generate(ids, attention_mask=mask, **IGNORED)  # hint: DP887
    b = model.generate(ids, attention_mask=mask, **SAMPLED)
    return a, b
