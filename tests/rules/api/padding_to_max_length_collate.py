"""Collate functions that fill the rows of a tensor of one size."""
from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader


@dataclass
class Settings:
    most_frames: int = 2000
    bands: int = 80
    crops: int = 16


class Pad:
    def __init__(self, settings: Settings):
        self.settings = settings

    def __call__(self, clips):
        width = self.settings.most_frames
        out = torch.zeros(len(clips), width, self.settings.bands)  # expect: DP150
        for row, clip in zip(out, clips):
            row[: clip.size(0)] = clip
        return out


class PadToLongest:
    def __init__(self, settings: Settings):
        self.settings = settings

    def __call__(self, clips):
        width = max(clip.size(0) for clip in clips)
        out = torch.zeros(len(clips), width, self.settings.bands)
        for row, clip in zip(out, clips):
            row[: clip.size(0)] = clip
        return out


class PadLittle:
    def __init__(self, settings: Settings):
        self.settings = settings

    def __call__(self, clips):
        out = torch.zeros(len(clips), self.settings.crops, self.settings.bands)  # right: short
        for row, clip in zip(out, clips):
            row[: clip.size(0)] = clip
        return out


def pad_by_row(clips):
    out = torch.zeros(len(clips), 2000, 80)  # expect: DP150
    for i, clip in enumerate(clips):
        out[i][: clip.size(0)] = clip
    return out


def crop_all(clips):
    out = torch.zeros(len(clips), 2000, 80)
    for row, clip in zip(out, clips):
        row[:500] = clip[:500]  # right: the same part of each row
    return out


def loaders(clips, settings=Settings()):
    yield DataLoader(clips, 32, num_workers=4, pin_memory=True, collate_fn=Pad(settings))
    yield DataLoader(clips, 32, num_workers=4, pin_memory=True, collate_fn=PadToLongest(settings))
    yield DataLoader(clips, 32, num_workers=4, pin_memory=True, collate_fn=PadLittle(settings))
    yield DataLoader(clips, 32, num_workers=4, pin_memory=True, collate_fn=pad_by_row)
    yield DataLoader(clips, 32, num_workers=4, pin_memory=True, collate_fn=crop_all)
