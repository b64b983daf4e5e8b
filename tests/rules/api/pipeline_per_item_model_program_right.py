import torch
from transformers import AutoModel, AutoTokenizer


class Embedder:
    def __init__(self, name="sentence-transformers/all-MiniLM-L6-v2"):
        self.tok = AutoTokenizer.from_pretrained(name)
        self.net = AutoModel.from_pretrained(name).cuda().half().eval()

    @torch.inference_mode()
    def embed(self, texts):
        out = []
        for i in range(0, len(texts), 128):
            enc = self.tok(texts[i:i + 128], truncation=True, padding=True, return_tensors="pt").to("cuda")
            h = self.net(**enc).last_hidden_state
            m = enc["attention_mask"].unsqueeze(-1)
            out.append((h * m).sum(1) / m.sum(1))
        return torch.cat(out)


def main(texts):
    torch.save(Embedder().embed(texts), "emb.pt")
