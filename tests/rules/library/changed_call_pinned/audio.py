import librosa
import pandas as pd
import scipy.misc
import torch
from transformers import AutoModelForCausalLM


def spectrum(y, window, path):
    basis = librosa.filters.mel(22050, 1024)  # hint: DP308
    table = pd.read_csv(path).drop(["date"], 1)  # hint: DP308
    image = scipy.misc.imread(path)  # hint: DP301
    return basis, table, image, torch.stft(y, 1024, window=window)  # hint: DP308


def load(name, config):
    return AutoModelForCausalLM.from_pretrained(name, load_in_4bit=True, quantization_config=config)  # hint: DP888
