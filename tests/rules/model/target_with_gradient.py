import torch
import torch.nn as nn
import torch.nn.functional as F


class Agent:
    def __init__(self, obs, actions):
        self.net = nn.Sequential(nn.Linear(obs, 64), nn.ReLU(), nn.Linear(64, actions))
        self.target = nn.Sequential(nn.Linear(obs, 64), nn.ReLU(), nn.Linear(64, actions))
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        self.criterion = nn.SmoothL1Loss()

    def learn(self, s, a, r, s2, done):
        current = self.net(s).gather(1, a)
        best = self.net(s2).max(1, keepdim=True)[0]
        expected = r + 0.99 * best * (1 - done)  # expect: DP274
        loss = self.criterion(current, expected)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def right(self, s, a, r, s2, done):
        current = self.net(s).gather(1, a)
        with torch.no_grad():
            expected = r + 0.99 * self.net(s2).max(1, keepdim=True)[0] * (1 - done)
        loss = F.mse_loss(current, expected) + F.mse_loss(current, (r + self.net(s2).amax(1, keepdim=True)).detach())  # hint: DP232
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def other_network(self, s, a, r, s2):
        current = self.net(s).gather(1, a)
        loss = F.mse_loss(current, r + self.target(s2).detach().amax(1, keepdim=True))  # hint: DP232
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.pi = nn.Linear(4, 2)
        self.v = nn.Linear(4, 1)

    def forward(self, x):
        return self.pi(x), self.v(x).squeeze(-1)


def update(net: ActorCritic, optimizer: torch.optim.Optimizer, obs, act, returns):
    logits, value = net(obs)
    dist = torch.distributions.Categorical(logits=logits)
    advantage = returns - value
    actor = -(dist.log_prob(act) * advantage).mean()  # expect: DP274
    fine = -(dist.log_prob(act) * advantage.detach()).mean()
    loss = actor + fine + 0.5 * advantage.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


model = ActorCritic()
update(model, torch.optim.Adam(model.parameters()), torch.rand(8, 4), torch.zeros(8).long(), torch.rand(8))


class Learner:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.Adam(net.parameters())

    def target(self, reward, following, alive):
        raise NotImplementedError

    def loss(self, state, reward, following, alive):
        return F.smooth_l1_loss(self.net(state), self.target(reward, following, alive))

    def step(self, *batch):
        loss = self.loss(*batch)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


class Bootstrapped(Learner):
    def target(self, reward, following, alive):
        return reward + 0.97 * alive * self.net(following)  # expect: DP274


def bootstrap(critic, reward, following):
    value = critic(following).squeeze(-1)
    return reward + 0.9 * value  # expect: DP274


def bootstrap_right(critic, reward, following):
    with torch.no_grad():
        value = critic(following).squeeze(-1)
    return reward + 0.9 * value


def fit(critic, slow, optimizer, state, reward, following):
    loss = F.mse_loss(critic(state).squeeze(-1), bootstrap(critic, reward, following))
    loss = loss + F.mse_loss(critic(state).squeeze(-1), bootstrap_right(critic, reward, following))
    loss = loss + F.mse_loss(critic(state).squeeze(-1), bootstrap(critic, reward, following).detach())  # expect: DP232
    loss = loss + F.mse_loss(critic(state).squeeze(-1), reward + 0.9 * slow(following).squeeze(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


value = nn.Linear(4, 1)
Bootstrapped(value).step(torch.rand(8, 4), torch.rand(8, 1), torch.rand(8, 4), torch.ones(8, 1))
fit(value, nn.Linear(4, 1), torch.optim.Adam(value.parameters()), torch.rand(8, 4), torch.rand(8), torch.rand(8, 4))
