# What was decoded from a file is in the host's memory, where there is nothing to wait for.
import torch
import torchaudio


def loudness(model: torch.nn.Module, files, target):
    results = []
    with torch.no_grad():
        for file in files:
            audio, rate = torchaudio.load(file)
            rms = torch.sqrt(torch.mean(torch.square(audio)))
            if rms < target:
                audio = audio * target / rms
            results.append(model(audio.cuda()))
    return results
