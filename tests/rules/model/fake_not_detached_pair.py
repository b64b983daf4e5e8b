"""Both scores are assigned in one statement."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Game:
    def __init__(self, artist: nn.Module, judge: nn.Module):
        self.artist = artist
        self.judge = judge
        self.artist_steps = torch.optim.Adam(self.artist.parameters(), lr=2e-4)
        self.judge_steps = torch.optim.Adam(self.judge.parameters(), lr=2e-4)

    def judge_turn(self, real, noise):
        self.judge_steps.zero_grad()
        forged = self.artist(noise)
        on_real, on_forged = self.judge(real), self.judge(forged)  # expect: DP228
        loss = F.softplus(-on_real).mean() + F.softplus(on_forged).mean()
        loss.backward()
        self.judge_steps.step()

    def judge_turn_detached(self, real, noise):
        self.judge_steps.zero_grad()
        forged = self.artist(noise)  # expect: DP232
        on_real, on_forged = self.judge(real), self.judge(forged.detach())
        loss = F.softplus(-on_real).mean() + F.softplus(on_forged).mean()
        loss.backward()
        self.judge_steps.step()

    def judge_turn_without_graph(self, real, noise):
        self.judge_steps.zero_grad()
        with torch.no_grad():
            forged = self.artist(noise)
        on_real, on_forged = self.judge(real), self.judge(forged)
        loss = F.softplus(-on_real).mean() + F.softplus(on_forged).mean()
        loss.backward()
        self.judge_steps.step()

    def artist_turn(self, real, noise):
        self.artist_steps.zero_grad()
        forged = self.artist(noise)
        on_real, on_forged = self.judge(real), self.judge(forged)  # right: the artist learns from it
        loss = F.softplus(-on_forged).mean()
        loss.backward()
        self.artist_steps.step()

    def run(self, loader):
        for real, noise in loader:
            self.judge_turn(real, noise)
            self.judge_turn_detached(real, noise)
            self.judge_turn_without_graph(real, noise)
            self.artist_turn(real, noise)
