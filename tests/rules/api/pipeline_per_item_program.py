from transformers import pipeline
import pandas as pd


def label(path):
    clf = pipeline("sentiment-analysis", device=0)
    df = pd.read_csv(path)
    df["label"] = df["text"].apply(lambda t: clf(t, truncation=True)[0]["label"])  # expect: DP141
    df.to_csv("out.csv")


if __name__ == "__main__":
    label("reviews.csv")
