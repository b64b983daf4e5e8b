import numpy as np
import pandas as pd
import torch
from datasets import load_dataset


def table(path):
    frame = pd.read_csv(path)
    frame.dropna()  # expect: DP891
    frame["age"].fillna(0)  # expect: DP891
    frame.drop("id", axis=1, inplace=False)  # expect: DP891
    frame.drop_duplicates(inplace=True)
    frame["age"].fillna(0, inplace=True)
    frame = frame.reset_index()
    frame.head()
    frame.to_csv("clean.csv")
    return torch.tensor(frame.values)


def dataset(tokenize):
    data = load_dataset("imdb", split="train")
    data.shuffle(seed=1)  # expect: DP891
    data.rename_column("label", "labels")  # expect: DP891
    data.map(tokenize)  # hint: DP891
    data.set_format("torch")
    data = data.remove_columns(["text"])
    data.save_to_disk("imdb")
    return data


def arrays(values, x: torch.Tensor):
    array = np.zeros((3, 4))
    array.astype(np.float32)  # expect: DP891
    array.sort()
    array.fill(1)
    array = array.reshape(-1)
    found = np.array([])
    for value in values:
        np.append(found, value)  # expect: DP891
    np.clip(array, 0, 1)  # expect: DP891
    np.clip(array, 0, 1, out=array)
    np.random.permutation(array)  # expect: DP891
    np.random.shuffle(array)
    torch.clamp(x, 0, 1)  # expect: DP891
    torch.clamp(x, 0, 1, out=x)
    torch.nn.init.zeros_(x)
    try:
        np.reshape(array, (3, -1))
    except ValueError:
        print("does not fit")
    return array, found


def unknown(frame, data, flag):
    frame.dropna()
    data.shuffle()
    table = pd.DataFrame() if flag else frame
    table.drop("x")
