"""Generation settings that are the fields of a class."""

from dataclasses import asdict, dataclass, replace

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2").eval()


@dataclass
class Uncached:
    max_new_tokens: int = 256
    use_cache: bool = False

    def config(self):
        return GenerationConfig(**asdict(self))  # expect: DP153


@dataclass
class UncachedByVars:
    max_new_tokens: int = 256
    use_cache: bool = False


@dataclass
class Cached:
    max_new_tokens: int = 256
    use_cache: bool = True


@dataclass
class Chosen:
    max_new_tokens: int = 256
    use_cache: bool = False


@dataclass
class Lengths:
    max_new_tokens: int = 256


@torch.inference_mode()
def answers(ids, use_cache=False):
    first = model.generate(ids, generation_config=Uncached().config())
    settings = UncachedByVars()
    second = model.generate(ids, generation_config=GenerationConfig(**vars(settings)))  # expect: DP153
    third = model.generate(ids, generation_config=GenerationConfig(use_cache=settings.use_cache))  # expect: DP153
    fourth = model.generate(ids, **settings.__dict__)  # expect: DP153
    cached = GenerationConfig(**asdict(Cached()))
    chosen = GenerationConfig(**asdict(Chosen(use_cache=ids.shape[1] > 10)))
    plain = GenerationConfig(**asdict(Lengths()), pad_token_id=0)
    passed = GenerationConfig(use_cache=use_cache)
    changed = GenerationConfig(**asdict(replace(Cached(), max_new_tokens=5)))
    return first, second, third, fourth, [model.generate(ids, generation_config=c) for c in (cached, chosen, plain, passed, changed)]
