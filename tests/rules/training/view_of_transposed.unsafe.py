import torch


def accuracy(output: torch.Tensor, target: torch.Tensor, topk=(1,)):
    with torch.no_grad():
        maxk = max(topk)
        _, pred = output.topk(maxk, 1, True, True)
        pred = pred.t()
        correct = pred.eq(target.view(1, -1).expand_as(pred))
        res = []
        for k in topk:
            correct_k = correct[:k].reshape(-1).float().sum(0, keepdim=True)  # expect: DP991
            res.append(correct_k.mul_(100.0 / target.size(0)))
        return res


def best(output: torch.Tensor, target: torch.Tensor, topk=(1,)):
    pred = output.topk(max(topk), 1)[1].t()
    correct = pred == target
    return [correct[:k].view(-1).float().sum(0) for k in topk]


def five(output: torch.Tensor, target: torch.Tensor):
    pred = output.topk(5, 1)[1].t()
    correct = (pred == target).float()
    return correct[:5].reshape(-1).sum(), correct[:1].view(-1).sum()  # expect: DP991


def right(output: torch.Tensor, target: torch.Tensor, topk=(1, 5)):
    pred = output.topk(max(topk), 1)[1].t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    copied = correct.contiguous()
    return [correct[:k].reshape(-1).float().sum(0) + copied[:k].view(-1).float().sum(0) for k in topk]


def rows(x: torch.Tensor):
    return x[:5].view(-1)


accuracy(torch.rand(8, 10), torch.zeros(8).long(), topk=(1, 5))
best(torch.rand(8, 10), torch.zeros(8).long(), topk=(1,))
