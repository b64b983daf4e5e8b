import torch


def train(G, D, loader, first, second):
    for real in loader:
        fake = G(torch.randn(len(real), 64))
        loss = (D(fake.detach()) - D(real)).mean()
        first.zero_grad()
        loss.backward()
        first.step()
        first.zero_grad()
        (-D(fake)).mean().backward()
        second.step()  # expect: DP805


class Agent:
    def __init__(self, actor: torch.nn.Module, critic: torch.nn.Module):
        self.actor, self.critic = actor, critic
        self.actor_optimizer = torch.optim.Adam(actor.parameters())
        self.critic_optimizer = torch.optim.Adam(critic.parameters())

    def update(self, x, y):
        self.critic_optimizer.zero_grad()
        (self.critic(x) - y).pow(2).mean().backward()
        self.critic_optimizer.step()
        self.critic_optimizer.zero_grad()
        loss = -self.critic(self.actor(x)).mean()
        loss.backward()
        self.actor_optimizer.step()  # expect: DP805


def right(model, loader, one, scheduler, other):
    for x in loader:
        one.zero_grad()
        model(x).mean().backward()
        one.step()
        scheduler.step()
        model.zero_grad()
        model(x).mean().backward()
        other.step()


def environment(policy, env, optimizer):
    for _ in range(1000):
        optimizer.zero_grad()
        policy(env.state).mean().backward()
        optimizer.step()
        env.step()
