import pandas as pd
from sentence_transformers import CrossEncoder, SentenceTransformer
from transformers import pipeline

model = SentenceTransformer("all-MiniLM-L6-v2", device="cuda")
ranker = CrossEncoder("cross-encoder/ms-marco-MiniLM-L-6-v2")
rate = pipeline("sentiment-analysis", device=0)


def loops(texts, rows, query):
    a = [model.encode(text) for text in texts]  # expect: DP141
    b = {}
    for row in rows:
        b[row["id"]] = model.encode(row["text"], normalize_embeddings=True)  # expect: DP141
    c = []
    for text in texts:
        c.append(ranker.predict([(query, text)])[0])  # expect: DP141
        c.append(model.encode(f"passage: {text}"))  # expect: DP141
    for document in rows:
        c.append(model.encode(document["sentences"]))  # hint: DP141
    return a, b, c


def vector_of(text):
    return model.encode(text, show_progress_bar=False)  # expect: DP141


def rating_of(text):
    return rate(text[:512])[0]["label"]  # expect: DP141


class Embedder:
    def __init__(self):
        self.model = SentenceTransformer("all-MiniLM-L6-v2")

    def vector(self, text):
        return self.model.encode(text)  # expect: DP141

    def frame(self, df):
        df["vector"] = df["text"].map(self.vector)
        return df


def helper(text):
    return model.encode(text.strip())  # expect: DP141


def applied():
    df = pd.read_csv("texts.csv")
    df["vector"] = df["text"].apply(vector_of)
    df["label"] = df["text"].apply(rating_of)
    df["other"] = df["text"].apply(lambda t: model.encode(t))  # expect: DP141
    return df, list(map(helper, df["text"].tolist()))


def batches(texts, size, query):
    a = model.encode(texts, batch_size=64)
    for i in range(0, len(texts), size):
        a = model.encode(texts[i : i + size])
    for batch in texts:
        a = model.encode(batch)
    b = ranker.predict([(query, text) for text in texts])
    for name in ("first", "second"):
        a = model.encode(name)
    return a, b, model.encode(query)
