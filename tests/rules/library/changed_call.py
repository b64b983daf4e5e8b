import librosa
import pandas as pd
import torch
from librosa.filters import mel as mel_basis
from torch.nn.utils.rnn import pack_padded_sequence


def spectrum(y, window, options):
    a = librosa.filters.mel(22050, 1024)  # expect: DP308
    b = mel_basis(22050, n_fft=1024)
    c = librosa.filters.mel(sr=22050, n_fft=1024)
    d = librosa.resample(y, 44100, 22050)  # expect: DP308
    e = librosa.resample(y, orig_sr=44100, target_sr=22050)
    f = torch.stft(y, 1024, window=window)  # expect: DP308
    g = torch.stft(y, 1024, window=window, return_complex=True)
    h = torch.stft(y, **options)
    return a, b, c, d, e, f, g, h


def table(path):
    rows = pd.read_csv(path)
    rows = rows.drop("x", 1)  # expect: DP308
    return rows.drop("y", axis=1)


def packed(x, lengths):
    scores, _ = pack_padded_sequence(x, lengths)  # expect: DP308
    whole = pack_padded_sequence(x, lengths)
    return scores, whole.data


try:
    basis = librosa.filters.mel(22050, 1024)
except TypeError:
    basis = librosa.filters.mel(sr=22050, n_fft=1024)


def many_libraries(y, predicted, frames, path, options):
    import matplotlib.pyplot as plt
    import torchmetrics
    from sklearn.metrics import classification_report
    from sklearn.utils.class_weight import compute_class_weight
    from transformers import pipeline

    plt.style.use("seaborn-whitegrid")  # expect: DP308
    plt.style.use("seaborn-v0_8-whitegrid")
    plt.style.use("ggplot")
    a = classification_report(y, predicted, ["a", "b"])  # expect: DP308
    b = compute_class_weight("balanced", [0, 1], y)  # expect: DP308
    c = torchmetrics.Accuracy()  # expect: DP308
    d = pd.concat(frames, 1)  # expect: DP308
    e = pipeline("summarization")  # expect: DP308
    f = torch.fft(y, 2)  # expect: DP308
    g = librosa.core.stft(y, 512)  # expect: DP308
    h = classification_report(y, predicted, target_names=["a", "b"])
    i = compute_class_weight("balanced", classes=[0, 1], y=y)
    j = torchmetrics.Accuracy(task="binary"), torchmetrics.Accuracy("binary"), torchmetrics.Accuracy(**options)
    k = pd.concat(frames, axis=1), pd.read_csv(path, sep=","), pipeline("text-generation")
    return a, b, c, d, e, f, g, h, i, j, k, torch.fft.fft(y), librosa.stft(y, n_fft=512)
