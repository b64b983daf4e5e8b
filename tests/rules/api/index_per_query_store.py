import torch
from fastapi import FastAPI
from langchain_community.embeddings import HuggingFaceEmbeddings
from langchain_community.vectorstores import FAISS

app = FastAPI()
documents = open("documents.txt").read().splitlines()
embeddings = HuggingFaceEmbeddings(model_name="all-MiniLM-L6-v2")
torch.set_num_threads(4)
store = FAISS.from_texts(documents, embeddings)


@app.post("/ask")
def ask(question: str):
    fresh = FAISS.from_texts(documents, embeddings)  # expect: DP196
    return [found.page_content for found in fresh.similarity_search(question)]


@app.post("/ask/once")
def ask_once(question: str):
    return [found.page_content for found in store.similarity_search(question)]


@app.post("/ask/these")
def ask_these(question: str, texts: list[str]):
    return FAISS.from_texts(texts, embeddings).similarity_search(question)
