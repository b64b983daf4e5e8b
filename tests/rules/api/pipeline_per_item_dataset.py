from torch.utils.data import Dataset
from transformers import AutoTokenizer


def tokenize(strings, tokenizer):
    return [tokenizer(text, truncation=True, max_length=512) for text in strings]  # expect: DP141


def tokenize_prompts(strings, tokenizer):
    return [tokenizer(text, truncation=True, max_length=512) for text in strings]  # hint: DP141


def preprocess(sources, targets, tokenizer):
    examples = [source + target for source, target in zip(sources, targets)]
    tokenized, source_tokens = [tokenize(strings, tokenizer) for strings in (examples, sources)]
    return tokenized, source_tokens


class Instructions(Dataset):
    def __init__(self, rows, tokenizer):
        super().__init__()
        self.examples, self.sources = preprocess([r["in"] for r in rows], [r["out"] for r in rows], tokenizer)

    def __len__(self):
        return len(self.examples)

    def __getitem__(self, index):
        return self.examples[index]


def main(rows, prompts):
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    return Instructions(rows, tokenizer), tokenize_prompts(prompts, tokenizer)
