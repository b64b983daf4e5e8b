import torch
from transformers import AutoModelForSeq2SeqLM

SETTINGS = {"model": "t5-small", "decode": {"num_beams": 4, "use_cache": False}}
OPTIONS = dict(max_new_tokens=64, use_cache=False)
FINE = dict(max_new_tokens=64)


class Writer:
    def __init__(self, settings):
        self.settings = settings
        self.model = AutoModelForSeq2SeqLM.from_pretrained(settings["model"], torch_dtype=torch.bfloat16).eval()

    def run(self, ids, mask):
        a = self.model.generate(input_ids=ids, attention_mask=mask, **self.settings["decode"])  # expect: DP153
        b = self.model.generate(input_ids=ids, attention_mask=mask, **OPTIONS)  # expect: DP153
        c = self.model.generate(input_ids=ids, attention_mask=mask, **FINE)
        return a, b, c


writer = Writer(SETTINGS)
