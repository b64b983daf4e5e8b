from sentence_transformers import SentenceTransformer
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
encoder = SentenceTransformer("all-MiniLM-L6-v2")


def train(batches, step, prefix):
    for batch in batches:
        prompt = tokenizer("Summarize:", return_tensors="pt")  # hint: DP412
        step(batch, prompt, tokenizer.encode(prefix))  # expect: DP412


def search(queries, documents):
    best = []
    for i in range(len(queries)):
        vectors = encoder.encode(documents)  # expect: DP412
        best.append(vectors @ encoder.encode(queries[i]))  # expect: DP141
    return best


def once(batches, step):
    prompt = tokenizer("Summarize:", return_tensors="pt")
    for batch in batches:
        step(batch, prompt)


def changes(n, step):
    text = "a"
    for i in range(n):
        step(tokenizer(text))
        text = text + "b"


def seldom(n, step):
    for i in range(n):
        if i % 100 == 0:
            step(tokenizer("Summarize:"))
