import pandas as pd
import torch


def fires(path, unknown):
    table = pd.read_csv(path)
    for i, row in table.iterrows():  # hint: DP144
        print(row)
    pairs = [row.user for _, row in unknown.iterrows()]  # hint: DP144
    names = table.apply(lambda row: row.a + row.b, axis=1)  # hint: DP144
    return pairs, names


def silent(path, model, unknown):
    table = pd.read_csv(path)
    for row in table.itertuples():
        print(row)
    a = table.apply(lambda column: column.max())
    b = table["x"].apply(len)
    c = table.apply(len, axis=0)
    d = model.apply(torch.nn.init.zeros_)
    e = unknown.apply(len, axis=1)
    return a, b, c, d, e, table[["a", "b"]].to_numpy()


def collected(frame: pd.DataFrame):
    features, targets = [], []
    for _, row in frame.iterrows():  # expect: DP144
        features.append([row["a"], row["b"]])
        targets.append(row["c"])
    return torch.tensor(features), torch.tensor(targets)
