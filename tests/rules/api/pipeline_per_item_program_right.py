from transformers import pipeline
import pandas as pd


def label(path):
    clf = pipeline("sentiment-analysis", device=0)
    df = pd.read_csv(path)
    df["label"] = [r["label"] for r in clf(df["text"].tolist(), truncation=True, batch_size=64)]
    df.to_csv("out.csv")


if __name__ == "__main__":
    label("reviews.csv")
