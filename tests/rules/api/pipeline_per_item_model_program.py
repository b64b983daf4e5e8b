import torch
from transformers import AutoModel, AutoTokenizer


class Embedder:
    def __init__(self, name="sentence-transformers/all-MiniLM-L6-v2"):
        self.tok = AutoTokenizer.from_pretrained(name)
        self.net = AutoModel.from_pretrained(name).cuda().half().eval()

    @torch.inference_mode()
    def embed(self, texts):
        out = []
        for text in texts:
            enc = self.tok(text, truncation=True, return_tensors="pt").to("cuda")  # expect: DP141
            out.append(self.net(**enc).last_hidden_state.mean(1))
        return torch.cat(out)


def main(texts):
    torch.save(Embedder().embed(texts), "emb.pt")
