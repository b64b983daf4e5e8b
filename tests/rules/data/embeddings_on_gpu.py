import faiss
import numpy as np
from sentence_transformers import SentenceTransformer, util

OPTIONS = {"batch_size": 256, "convert_to_tensor": True}


def encode(encoder: SentenceTransformer, texts):
    vectors = encoder.encode(texts, **OPTIONS)  # expect: DP484
    print(vectors.shape)
    return vectors.float().cpu().numpy()


def encode_at_once(encoder: SentenceTransformer, texts):
    return encoder.encode(texts, convert_to_tensor=True).to("cpu")  # expect: DP484


class Index:
    def __init__(self, name):
        self.encoder = SentenceTransformer(name, device="cuda")

    def _encode(self, passages):
        return self.encoder.encode(passages, convert_to_tensor=True)  # expect: DP484

    def build(self, passages):
        vectors = self._encode(passages)
        vectors = vectors.cpu().numpy()
        index = faiss.IndexFlatIP(vectors.shape[1])
        index.add(vectors)
        return index


def search(encoder: SentenceTransformer, texts, query):
    corpus = encoder.encode(texts, convert_to_tensor=True)
    question = encoder.encode("where is it?", convert_to_tensor=True)
    scores = util.cos_sim(question, corpus)
    print(question.cpu())
    return scores.cpu().numpy(), corpus.cpu()


def one(encoder: SentenceTransformer):
    return encoder.encode("a single text", convert_to_tensor=True).cpu()


def in_parts(encoder: SentenceTransformer, texts):
    for start in range(0, len(texts), 4096):
        yield encoder.encode(texts[start : start + 4096], convert_to_tensor=True).cpu()


def arrays(encoder: SentenceTransformer, texts):
    return np.asarray(encoder.encode(texts, convert_to_numpy=True))
