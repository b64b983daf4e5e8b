import torch
import torch.nn.functional as F
from transformers import AutoModel, AutoTokenizer


class Encoder:
    def __init__(self, name):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModel.from_pretrained(name, torch_dtype=torch.bfloat16).to(self.device).eval()

    @torch.inference_mode()
    def encode(self, texts, prefix="passage"):
        chunks = []
        for start in range(0, len(texts), 64):
            batch = [f"{prefix}: {text}" for text in texts[start : start + 64]]
            encoded = self.tokenizer(batch, padding=True, truncation=True, return_tensors="pt").to(self.device)
            hidden = self.model(**encoded).last_hidden_state
            mask = encoded.attention_mask.unsqueeze(-1)
            chunks.append(F.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1).cpu())
        return torch.cat(chunks)


class ByProperty:
    def __init__(self, encoder: Encoder, passages):
        self.encoder = encoder
        self.passages = passages

    @property
    def matrix(self):
        return self.encoder.encode(self.passages)  # expect: DP196

    def search(self, query, k):
        return (self.encoder.encode([query], "query") @ self.matrix.T).squeeze(0).topk(k).indices.tolist()


class ByMethod:
    def __init__(self, encoder: Encoder, passages):
        self.encoder = encoder
        self.passages = passages

    def vectors(self):
        return self.encoder.encode(self.passages, "passage")  # expect: DP196

    def search(self, query):
        return (self.encoder.encode([query], "query") @ self.vectors().T).argmax().item()


class Directly:
    def __init__(self, encoder: Encoder, answers):
        self.encoder = encoder
        self.answers = answers

    def best(self, question):
        known = self.encoder.encode(self.answers)  # expect: DP196
        return self.answers[(self.encoder.encode([question]) @ known.T).argmax().item()]


# ---- clean --------------------------------------------------------------------------------------------------------


class Kept:
    def __init__(self, encoder: Encoder, passages):
        self.encoder = encoder
        self.known = passages
        self.matrix = self.encoder.encode(self.known)

    def search(self, query):
        return (self.encoder.encode([query], "query") @ self.matrix.T).argmax().item()


class KeptLater:
    def __init__(self, encoder: Encoder, passages):
        self.encoder = encoder
        self.texts = passages
        self.vectors_ = None

    def search(self, query):
        if self.vectors_ is None:
            self.vectors_ = self.encoder.encode(self.texts)
        return (self.encoder.encode([query], "query") @ self.vectors_.T).argmax().item()


class Growing:
    def __init__(self, encoder: Encoder):
        self.encoder = encoder
        self.memory = []

    def add(self, text):
        self.memory.append(text)

    def search(self, query):
        known = self.encoder.encode(self.memory)
        return (self.encoder.encode([query]) @ known.T).argmax().item()


class Once:
    def __init__(self, encoder: Encoder, documents):
        self.encoder = encoder
        self.documents = documents

    def save(self, path):
        torch.save(self.encoder.encode(self.documents), path)


def main(queries, passages):
    encoder = Encoder("intfloat/e5-base-v2")
    one, two, three = ByProperty(encoder, passages), ByMethod(encoder, passages), Directly(encoder, passages)
    kept, later, growing = Kept(encoder, passages), KeptLater(encoder, passages), Growing(encoder)
    for query in queries:
        print(one.search(query, 10), two.search(query), three.best(query))
        print(kept.search(query), later.search(query), growing.search(query))
        growing.add(query)
    Once(encoder, passages).save("vectors.pt")


if __name__ == "__main__":
    main([line for line in open("queries.txt")], [line for line in open("passages.txt")])
