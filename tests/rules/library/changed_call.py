import librosa
import pandas as pd
import torch
from librosa.filters import mel as mel_basis
from torch.nn.utils.rnn import pack_padded_sequence


def spectrum(y, window, options):
    a = librosa.filters.mel(22050, 1024)  # expect: DP308
    b = mel_basis(22050, n_fft=1024)  # expect: DP308
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
