import torch
import torch.nn.functional as F
from transformers import AutoModelForCausalLM


class Evaluator:
    def __init__(self, name):
        self.model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16).cuda().eval()

    @torch.inference_mode()
    def collected(self, loader):
        outputs, targets = [], []
        for batch in loader:
            ids = batch["input_ids"].cuda(non_blocking=True)
            outputs.append(self.model(input_ids=ids).logits)  # expect: DP450
            targets.append(ids)
        total = torch.zeros((), device="cuda")
        for logits, ids in zip(outputs, targets):
            total += F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), reduction="sum")
        return total.item()

    @torch.inference_mode()
    def at_once(self, loader):
        total = torch.zeros((), device="cuda")
        for batch in loader:
            ids = batch["input_ids"].cuda(non_blocking=True)
            logits = self.model(input_ids=ids).logits
            total += F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), reduction="sum")
        return total.item()

    @torch.inference_mode()
    def given_back(self, loader):
        outputs = []
        for batch in loader:
            outputs.append(self.model(input_ids=batch["input_ids"].cuda(non_blocking=True)).logits)
        for logits in outputs:
            print(logits.shape)
        return outputs
