import faiss
import torch

VECTORS = 20000
WIDTH = 64
QUERIES = 12
LISTS = 64


class Gallery:
    def __init__(self, vectors):
        self.vectors = vectors

    def search(self, query):
        quantizer = faiss.IndexFlatL2(WIDTH)
        index = faiss.IndexIVFFlat(quantizer, WIDTH, LISTS)
        index.train(self.vectors)
        index.add(self.vectors)
        return index.search(query, 5)


torch.manual_seed(0)
gallery = Gallery(torch.randn(VECTORS, WIDTH).numpy())
queries = torch.randn(QUERIES, 1, WIDTH).numpy()
found = []
for query in queries:
    distances, places = gallery.search(query)
    found.append(distances)

result = found
