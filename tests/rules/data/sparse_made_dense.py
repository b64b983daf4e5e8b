import keras
import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.model_selection import train_test_split

frame = pd.read_csv("tickets.csv")
MOST = 50_000


def plain():
    return TfidfVectorizer(max_features=MOST).fit_transform(frame["text"]).toarray()  # expect: DP455


def every_word():
    vectorizer = CountVectorizer()
    matrix = vectorizer.fit_transform(frame["text"])
    return np.asarray(matrix.todense())  # expect: DP455


class Features:
    def __init__(self, most=20_000):
        self.vectorizer = TfidfVectorizer(max_features=most)

    def fit(self, texts):
        self.vectorizer.fit(texts)
        return self

    def transform(self, texts):
        return self.vectorizer.transform(texts).toarray()  # expect: DP455


def split_first():
    train, test = train_test_split(frame["text"])
    features = Features().fit(train)
    return features.transform(train), features.transform(test)


def dense(matrix):
    return matrix.toarray()  # expect: DP455


def through_helper():
    hashing = HashingVectorizer()
    return dense(hashing.transform(frame["text"]))


def from_someone(texts):
    return TfidfVectorizer(max_features=10_000).fit_transform(texts).toarray()  # hint: DP455


# A few columns, a few rows, or one text.
def small():
    return TfidfVectorizer(max_features=500).fit_transform(frame["text"]).toarray()


def words_of(texts):
    return CountVectorizer().fit_transform(texts).toarray()


def in_batches(matrix=TfidfVectorizer(max_features=MOST).fit_transform(frame["text"])):
    for start in range(0, matrix.shape[0], 256):
        yield matrix[start : start + 256].toarray()


def one_text(text):
    vectorizer = TfidfVectorizer(max_features=MOST).fit(frame["text"])
    return vectorizer.transform([text]).toarray()


def first_rows():
    matrix = TfidfVectorizer(max_features=MOST).fit_transform(frame["text"])
    return matrix[:10].toarray()


class Batches(keras.utils.PyDataset):
    def __init__(self, features):
        super().__init__()
        self.features = features

    def __getitem__(self, index):
        return self.features[index * 8 : index * 8 + 8].toarray()
