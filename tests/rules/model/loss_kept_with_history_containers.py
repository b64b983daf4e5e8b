from collections import defaultdict
import torch
from torch import nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)

    def forward(self, x):
        return self.a(x)


def compute(net, batch):
    x, y = batch
    out = net(x)
    return {"mse": F.mse_loss(out, y), "l1": F.l1_loss(out, y)}


def local_dict(net, loader, opt):
    totals = defaultdict(float)
    for batch in loader:
        terms = compute(net, batch)
        opt.zero_grad()
        sum(terms.values()).backward()
        opt.step()
        for key, term in terms.items():
            totals[key] += term  # expect: DP230
    return {k: float(v) for k, v in totals.items()}


def local_get(net, loader, opt):
    totals = {}
    for batch in loader:
        terms = compute(net, batch)
        opt.zero_grad()
        sum(terms.values()).backward()
        opt.step()
        for key in terms:
            totals[key] = totals.get(key, 0.0) + terms[key]  # expect: DP230
    return {k: float(v) for k, v in totals.items()}


def record(log, terms):
    for key, term in terms.items():
        log[key].append(term)


def by_helper(net, loader, opt):
    log = defaultdict(list)
    for batch in loader:
        terms = compute(net, batch)
        opt.zero_grad()
        sum(terms.values()).backward()
        opt.step()
        record(log, terms)  # expect: DP230
    return {k: torch.stack(v).mean().item() for k, v in log.items()}


def by_helper_detached(net, loader, opt):
    log = defaultdict(list)
    for batch in loader:
        terms = compute(net, batch)
        opt.zero_grad()
        sum(terms.values()).backward()
        opt.step()
        record(log, {k: v.detach() for k, v in terms.items()})
    return {k: torch.stack(v).mean().item() for k, v in log.items()}


def per_step_logs(net, loader, opt):
    for batch in loader:
        terms = compute(net, batch)
        logs = {}
        for key, term in terms.items():
            logs[key] = logs.get(key, 0.0) + term
        opt.zero_grad()
        sum(logs.values()).backward()
        opt.step()


class History:
    def __init__(self):
        self.rows = []
        self.by_name = {}

    def push(self, row):
        self.rows.append(row)

    def put(self, **values):
        for name, value in values.items():
            if name not in self.by_name:
                self.by_name[name] = []
            self.by_name[name].append(value)

    def put_items(self, **values):
        for name, value in values.items():
            self.by_name.setdefault(name, []).append(value.item())


def with_history(net, loader, opt):
    history = History()
    for batch in loader:
        terms = compute(net, batch)
        opt.zero_grad()
        (terms["mse"] + terms["l1"]).backward()
        opt.step()
        history.push(terms)  # expect: DP230
    return history


def with_keywords(net, loader, opt):
    history = History()
    for batch in loader:
        terms = compute(net, batch)
        loss = terms["mse"] + terms["l1"]
        opt.zero_grad()
        loss.backward()
        opt.step()
        history.put(loss=loss)  # expect: DP230
        history.put_items(loss=loss)
    return history


def counted(net, loader, opt):
    total, seen = 0.0, 0
    for batch in loader:
        loss, n = loss_and_count(net, batch)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.detach() * n
        seen += n
    return total / seen


def loss_and_count(net, batch):
    x, y = batch
    return F.mse_loss(net(x), y), x.size(0)


class Rollout:
    def __init__(self):
        self.logps = []
        self.rewards = []

    def add(self, logp, reward):
        self.logps.append(logp)
        self.rewards.append(reward)

    def clear(self):
        self.logps.clear()
        self.rewards.clear()


def reinforce(policy, env, opt, episodes):
    policy = Net()
    rollout = Rollout()
    for _ in range(episodes):
        obs = env.reset()
        done = False
        while not done:
            dist = torch.distributions.Categorical(logits=policy(obs))
            action = dist.sample()
            obs, reward, done = env.step(action)
            rollout.add(dist.log_prob(action), reward)
        loss = -(torch.stack(rollout.logps) * torch.tensor(rollout.rewards)).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        rollout.clear()


if __name__ == "__main__":
    net = Net()
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(10, 4), torch.rand(10, 4)), batch_size=5)
    opt = torch.optim.SGD(net.parameters(), 0.1)
    local_dict(net, loader, opt)
    local_get(net, loader, opt)
    by_helper(net, loader, opt)
    by_helper_detached(net, loader, opt)
    per_step_logs(net, loader, opt)
    with_history(net, loader, opt)
    with_keywords(net, loader, opt)
    counted(net, loader, opt)
