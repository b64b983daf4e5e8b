import torch
import torchaudio
from torch.utils.data import Dataset


class Clips(Dataset):
    rate = 44100

    def __init__(self, files, words, mels):
        self.files, self.words, self.mels = files, words, mels
        self.to_db = torchaudio.transforms.MelSpectrogram(self.rate)

    def __len__(self):
        return len(self.files)

    def features(self, wave):
        mel = torchaudio.transforms.MelSpectrogram(self.rate, n_mels=self.mels)  # expect: DP407
        return self.to_db(mel(wave))

    def resampled(self, wave, rate):
        return torchaudio.transforms.Resample(rate, self.rate)(wave)

    def __getitem__(self, i):
        wave, rate = torchaudio.load(self.files[i])
        index = {word: i for i, word in enumerate(self.words)}  # expect: DP407
        counts = {word: self.files[i].count(word) for word in self.words}
        return self.features(self.resampled(wave, rate)), index["a"], counts


def log_mel(wave, rate, config):
    spectrogram = torchaudio.transforms.MelSpectrogram(config.rate, n_mels=config.bands)  # expect: DP407
    own = torchaudio.transforms.MelSpectrogram(rate)
    return spectrogram(wave) + own(wave)


class Words(Dataset):
    def __init__(self, files, config):
        self.files = files
        self.config = config

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        wave, rate = torchaudio.load(self.files[index])
        return log_mel(wave, rate, self.config)
