import numpy as np
import pandas as pd
import tensorflow as tf
from imblearn.over_sampling import SMOTE
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import LabelEncoder, MinMaxScaler, Normalizer, OneHotEncoder, StandardScaler


def plain():
    frame = pd.read_csv("a.csv")
    x = frame.drop(columns="y").values
    x = StandardScaler().fit_transform(x)  # expect: DP967
    return train_test_split(x, frame["y"], test_size=0.2)


def fit_then_transform():
    data = np.load("a.npy")
    scaler = MinMaxScaler()
    scaler.fit(data)  # expect: DP967
    scaled = scaler.transform(data).astype("float32")
    labels = np.load("b.npy")
    train, test, _, _ = train_test_split(scaled, labels)
    return train, test


def make_transformer():
    numeric = make_pipeline(SimpleImputer(), StandardScaler())
    return ColumnTransformer([("num", numeric, ["a"]), ("cat", OneHotEncoder(), ["b"])])


def composed(path):
    frame = pd.read_csv(path)
    transformer = make_transformer()
    return train_test_split(transformer.fit_transform(frame), frame["y"])  # expect: DP967


class Data:
    def __init__(self, path):
        self.frame = pd.read_csv(path)
        self.scaler = StandardScaler()
        self.steps = Pipeline([("scale", self.scaler), ("pca", PCA(8))])

    def scaled(self):
        return self.scaler.fit_transform(self.frame[["a", "b"]])  # expect: DP967

    def projected(self):
        x = self.steps.fit_transform(self.frame[["a", "b"]])  # expect: DP967
        return train_test_split(x, self.frame["y"])

    def parts(self):
        x = self.scaled()
        return train_test_split(x, self.frame["y"], random_state=1)


def oversampled():
    frame = pd.read_csv("a.csv")
    x, y = SMOTE().fit_resample(frame.drop(columns="y"), frame["y"])  # expect: DP967
    return train_test_split(x, y)


def words():
    frame = pd.read_csv("texts.csv")
    vectorizer = TfidfVectorizer(max_features=2000)
    matrix = vectorizer.fit_transform(frame["text"])  # expect: DP967
    return train_test_split(matrix, frame["label"])


def series():
    values = pd.read_csv("prices.csv")[["close"]].values
    scaler = MinMaxScaler()
    scaled = scaler.fit_transform(values)  # expect: DP967
    size = int(len(scaled) * 0.8)
    train, test = scaled[:size], scaled[size:]
    return train, test


def scale(x):
    return StandardScaler().fit_transform(x)  # expect: DP967


def helper():
    frame = pd.read_csv("a.csv")
    return train_test_split(scale(frame[["a"]]), frame["y"])


def given(x, y):
    x = StandardScaler().fit_transform(x)  # hint: DP967
    return train_test_split(x, y)


def other_file():
    frame = pd.read_csv("train.csv")
    x = StandardScaler().fit_transform(frame[["a"]])  # hint: DP967
    return train_test_split(x, frame["y"])


# Fitted to the training part.
def good():
    frame = pd.read_csv("a.csv")
    train, test = train_test_split(frame)
    scaler = StandardScaler()
    return scaler.fit_transform(train), scaler.transform(test)


def good_series():
    values = pd.read_csv("prices.csv")[["close"]].values
    size = int(len(values) * 0.8)
    scaler = MinMaxScaler().fit(values[:size])
    scaled = scaler.transform(values)
    return scaled[:size], scaled[size:]


def second_split():
    frame = pd.read_csv("a.csv")
    train, test = train_test_split(frame)
    scaler = StandardScaler()
    train = scaler.fit_transform(train)
    fit, watched = train_test_split(train)
    return fit, watched, scaler.transform(test)


def built_in():
    (x_train, y_train), test = tf.keras.datasets.boston_housing.load_data()
    x_train = StandardScaler().fit_transform(x_train)
    return train_test_split(x_train, y_train), test


# Nothing is learned from other rows.
def no_statistics():
    frame = pd.read_csv("a.csv")
    labels = LabelEncoder().fit_transform(frame["y"])
    x = Normalizer().fit_transform(frame[["a", "b"]])
    kinds = OneHotEncoder().fit_transform(frame[["kind"]])
    return train_test_split(x, kinds, labels)


def loaded(path):
    frame = pd.read_csv("a.csv")
    scaler = pd.read_pickle(path)
    return train_test_split(scaler.transform(frame), frame["y"])
