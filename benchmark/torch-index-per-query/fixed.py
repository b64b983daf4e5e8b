import faiss
import torch

VECTORS = 20000
WIDTH = 64
QUERIES = 12
LISTS = 64


class Gallery:
    def __init__(self, vectors):
        self.quantizer = faiss.IndexFlatL2(WIDTH)
        self.index = faiss.IndexIVFFlat(self.quantizer, WIDTH, LISTS)
        self.index.train(vectors)
        self.index.add(vectors)

    def search(self, query):
        return self.index.search(query, 5)


torch.manual_seed(0)
gallery = Gallery(torch.randn(VECTORS, WIDTH).numpy())
queries = torch.randn(QUERIES, 1, WIDTH).numpy()
found = []
for query in queries:
    distances, places = gallery.search(query)
    found.append(distances)

result = found
