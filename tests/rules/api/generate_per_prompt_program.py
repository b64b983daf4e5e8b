import json
import torch
from tqdm import tqdm
from transformers import AutoModelForCausalLM, AutoTokenizer


class Evaluator:
    def __init__(self, name):
        self.tok = AutoTokenizer.from_pretrained(name, padding_side="left")
        self.tok.pad_token = self.tok.eos_token
        self.model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16, device_map="auto")
        self.model.eval()

    def answer(self, question):
        enc = self.tok(question, return_tensors="pt").to(self.model.device)
        with torch.inference_mode():
            out = self.model.generate(**enc, max_new_tokens=128, do_sample=False)  # expect: DP152
        return self.tok.decode(out[0, enc.input_ids.shape[1]:], skip_special_tokens=True)

    def evaluate(self, path):
        rows = [json.loads(line) for line in open(path)]
        hits = 0
        for row in tqdm(rows):
            hits += self.answer(row["question"]).strip() == row["answer"]
        return hits / len(rows)


if __name__ == "__main__":
    print(Evaluator("Qwen/Qwen2-7B-Instruct").evaluate("gsm8k.jsonl"))
