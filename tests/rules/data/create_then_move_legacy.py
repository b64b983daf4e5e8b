from typing import List, Union

import torch


# Lists hold values; a size is one number.
def stopped(tokens: torch.Tensor, stops: List[List[int]], last: Union[int, List[int]]):
    found = []
    for step in range(100):
        for stop in stops:
            found.append(tokens[:, -len(stop):] != torch.LongTensor(stop).to(tokens.device))
        found.append(tokens != torch.LongTensor(last).to(tokens.device))
    return found


def stopped_by_elements(tokens: torch.Tensor, stops: List[int]):
    found = []
    for step in range(100):
        if isinstance(stops[0], int):
            found.append(tokens != torch.LongTensor(stops).to(tokens.device))
        else:
            for stop in stops:
                found.append(tokens != torch.LongTensor(stop).to(tokens.device))
    return found


def sized(batches, count: int):
    for x in batches:
        noise = torch.FloatTensor(x.size(0), count).cuda().normal_()  # expect: DP401
        rows = torch.LongTensor(count).to(x.device)  # expect: DP401
        more = torch.LongTensor(len(x)).to(x.device)  # expect: DP401
        yield noise, rows, more
