import pandas as pd
from torch.utils.data import Dataset


class Items(Dataset):
    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return self.files[i], self.labels[i]


class Birds(Items):
    def __init__(self, rows, folder):
        self.files = [f"{folder}/{name}" for name in rows["file"]]
        kinds = rows["kind"].unique()
        self.number_of = {kind: i for i, kind in enumerate(kinds)}  # expect: DP429
        self.labels = [self.number_of[kind] for kind in rows["kind"]]


class Kept(Items):
    def __init__(self, rows):
        self.rows = rows.reset_index(drop=True)
        kinds = list(set(self.rows["kind"]))
        numbers = dict(zip(kinds, range(len(kinds))))  # expect: DP429
        self.files = rows["file"].tolist()
        self.labels = [numbers[kind] for kind in self.rows["kind"]]


class Sorted(Items):
    def __init__(self, rows):
        numbers = {kind: i for i, kind in enumerate(sorted(rows["kind"].unique()))}  # hint: DP429
        self.files = rows["file"].tolist()
        self.labels = [numbers[kind] for kind in rows["kind"]]


class Given(Items):
    def __init__(self, rows, kinds):
        numbers = {kind: i for i, kind in enumerate(kinds)}
        self.files = rows["file"].tolist()
        self.labels = [numbers[kind] for kind in rows["kind"]]


class Shared(Items):
    def __init__(self, rows):
        self.class_number = {kind: i for i, kind in enumerate(rows["kind"].unique())}
        self.files = rows["file"].tolist()
        self.labels = rows["kind"].tolist()


class Once(Items):
    def __init__(self, rows):
        numbers = {kind: i for i, kind in enumerate(rows["kind"].unique())}
        self.files = rows["file"].tolist()
        self.labels = [numbers[kind] for kind in rows["kind"]]


class Users(Items):
    def __init__(self, rows):
        numbers = {kind: i for i, kind in enumerate(rows["kind"].unique())}
        self.files = rows["file"].tolist()
        self.labels = [numbers[kind] for kind in rows["kind"]]


def make(frame):
    train_rows, valid_rows = frame.iloc[:800], frame.iloc[800:]
    train, valid = Birds(train_rows, "birds"), Birds(valid_rows, "birds")
    kept = Kept(train_rows), Kept(rows=valid_rows)
    in_order = Sorted(train_rows), Sorted(valid_rows)
    kinds = sorted(frame["kind"].unique())
    given = Given(train_rows, kinds), Given(valid_rows, kinds)
    shared = Shared(train_rows), Shared(valid_rows)
    shared[1].class_number = shared[0].class_number
    once = Once(train_rows)
    users = Users(frame), Users(pd.read_csv("items.csv"))
    return train, valid, kept, in_order, given, shared, once, users
