import torch
from torch.distributions import Categorical


def collect(env, policy, rollout, steps):
    x = env.reset()
    for t in range(steps):
        dist = Categorical(logits=policy(x))
        action = dist.sample()
        x, reward = env.step(action.cpu())
        rollout.reward[t], rollout.old[t] = reward, dist.log_prob(action)  # expect: DP229


def collect_by_name(env, policy, buffer, steps):
    x = env.reset()
    for _ in range(steps):
        dist = Categorical(logits=policy(x))
        action = dist.sample()
        old = dist.log_prob(action)  # expect: DP229
        x, reward = env.step(action)
        buffer.add(x, action, old, reward)


@torch.no_grad()
def collect_right(env, policy, old, steps):
    x = env.reset()
    for _ in range(steps):
        dist = Categorical(logits=policy(x))
        action = dist.sample()
        x, reward = env.step(action)
        old.append(dist.log_prob(action))


def collect_detached(env, policy, old, steps):
    x = env.reset()
    for _ in range(steps):
        dist = Categorical(logits=policy(x))  # hint: DP232
        action = dist.sample()
        x, reward = env.step(action)
        old.append(dist.log_prob(action).detach())


def update(policy, optimizer, x, actions, old, advantage):
    for _ in range(4):
        new = Categorical(logits=policy(x)).log_prob(actions)
        ratio = (new - old).exp()
        loss = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
