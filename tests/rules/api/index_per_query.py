import faiss
import numpy as np
import torch
from fastapi import FastAPI
from rank_bm25 import BM25Okapi

app = FastAPI()


class Gallery:
    def __init__(self, path):
        self.vectors = torch.load(path, weights_only=True).numpy()
        self.kept = self.build()

    def build(self):
        index = faiss.IndexFlatIP(self.vectors.shape[1])
        index.add(self.vectors)
        return index

    def search(self, query):
        index = faiss.IndexFlatIP(self.vectors.shape[1])  # expect: DP196
        index.add(self.vectors)
        return index.search(query, 10)

    def search_lists(self, query):
        d = self.vectors.shape[1]
        index = faiss.index_factory(d, "IVF1024,Flat")  # expect: DP196
        index.train(self.vectors)
        index.add(self.vectors)
        return index.search(query, 10)

    def search_kept(self, query):
        return self.kept.search(query, 10)


gallery = Gallery("vectors.pt")
documents = np.load("documents.npy")


@app.post("/similar")
def similar(query: list[float]):
    return gallery.search_lists(np.asarray([query])), gallery.search_kept(np.asarray([query]))


@app.get("/words")
def words(query: str):
    return BM25Okapi(documents).get_top_n(query.split(), documents)  # expect: DP196


def main(queries, galleries):
    a = [gallery.search(query) for query in queries]
    for vectors in galleries:
        a.append(one(vectors))
    return a


def one(vectors):
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    return index
