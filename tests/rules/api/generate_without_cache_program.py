import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig


class Chat:
    def __init__(self, path):
        self.tok = AutoTokenizer.from_pretrained(path)
        self.lm = AutoModelForCausalLM.from_pretrained(path, torch_dtype=torch.float16).to("cuda")
        self.lm.eval()
        self.cfg = GenerationConfig(max_new_tokens=512, use_cache=False, do_sample=True, temperature=0.7)  # expect: DP153

    def reply(self, text):
        enc = self.tok(text, return_tensors="pt").to("cuda")
        with torch.inference_mode():
            ids = self.lm.generate(**enc, generation_config=self.cfg)
        return self.tok.decode(ids[0], skip_special_tokens=True)


if __name__ == "__main__":
    chat = Chat("mistralai/Mistral-7B-v0.1")
    while True:
        print(chat.reply(input("> ")))
