# Labels that the program pads itself, in a helper of the collator.
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModelForCausalLM, PreTrainedTokenizerBase

model = AutoModelForCausalLM.from_pretrained("gpt2")


@dataclass
class Collator:
    tokenizer: PreTrainedTokenizerBase

    def _pad(self, rows, length, value):
        return torch.tensor([row + [value] * (length - len(row)) for row in rows])

    def __call__(self, features):
        ids = [f["input_ids"] for f in features]
        longest = max(len(row) for row in ids)
        pad = self.tokenizer.pad_token_id
        return {
            "input_ids": self._pad(ids, longest, pad),
            "attention_mask": self._pad([[1] * len(row) for row in ids], longest, 0),
            "labels": self._pad([f["labels"] for f in features], longest, pad),  # expect: DP841
        }


@dataclass
class IgnoringCollator:
    tokenizer: PreTrainedTokenizerBase

    def _pad(self, rows, length, value):
        return torch.tensor([row + [value] * (length - len(row)) for row in rows])

    def __call__(self, features):
        ids = [f["input_ids"] for f in features]
        longest = max(len(row) for row in ids)
        return {
            "input_ids": self._pad(ids, longest, self.tokenizer.pad_token_id),
            "attention_mask": self._pad([[1] * len(row) for row in ids], longest, 0),
            "labels": self._pad([f["labels"] for f in features], longest, -100),
        }


@dataclass
class SequenceCollator:
    processor: Any

    def __call__(self, features):
        targets = [torch.tensor(f["labels"]) for f in features]
        batch = self.processor.pad([f["audio"] for f in features], return_tensors="pt")
        labels = pad_sequence(targets, batch_first=True, padding_value=self.processor.tokenizer.pad_token_id)
        batch["labels"] = labels  # expect: DP841
        return batch
