import torch
import torch.nn.functional as F
from torch import nn

generator, critic = nn.Linear(8, 8), nn.Linear(8, 1)
first = torch.optim.Adam(generator.parameters())
second = torch.optim.Adam(critic.parameters())
criterion = nn.BCEWithLogitsLoss()


def fires(real, noise, ones, zeros):
    fake = generator(noise)  # hint: DP232
    second.zero_grad()
    loss = criterion(critic(real), ones) + criterion(critic(fake.detach()), zeros)
    loss.backward()
    second.step()

    first.zero_grad()
    own = criterion(critic(fake.detach()), ones)  # expect: DP877
    own.backward()
    first.step()


class Agent:
    def __init__(self):
        self.actor = nn.Linear(4, 2)
        self.critic = nn.Linear(6, 1)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters())
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters())

    def learn(self, state):
        loss = -self.critic(torch.cat([state, self.actor(state).data], 1)).mean()  # expect: DP877  # hint: DP232
        self.actor_optimizer.zero_grad()
        loss.backward()
        self.actor_optimizer.step()

    def learn_right(self, state):
        loss = -self.critic(torch.cat([state, self.actor(state)], 1)).mean()
        self.actor_optimizer.zero_grad()
        loss.backward()
        self.actor_optimizer.step()

    def learn_both(self, state):
        action = self.actor(state)
        old = action.detach()
        loss = (action - old).pow(2).mean() - self.critic(torch.cat([state, old], 1)).mean()
        self.actor_optimizer.zero_grad()
        loss.backward()
        self.actor_optimizer.step()


def right(noise, ones):
    fake = generator(noise)
    loss = criterion(critic(fake), ones)
    first.zero_grad()
    loss.backward()
    first.step()


def two_losses(noise, ones):
    fake = generator(noise)
    first.zero_grad()
    criterion(critic(fake), ones).backward()
    loss = criterion(critic(fake.detach()), ones)
    loss.backward()
    first.step()


def regularized(noise, ones):
    fake = generator(noise)  # hint: DP232
    loss = criterion(critic(fake.detach()), ones) + sum(p.pow(2).sum() for p in generator.parameters())
    first.zero_grad()
    loss.backward()
    first.step()


def through_helper(noise, ones, loss_of):
    fake = generator(noise)
    loss = loss_of(fake) + criterion(critic(fake.detach()), ones)
    first.zero_grad()
    loss.backward()
    first.step()


def weighted(noise, ones):
    out = generator(noise)
    weight = F.softmax(out.detach(), dim=-1)
    loss = (weight * out).sum()
    first.zero_grad()
    loss.backward()
    first.step()
