from data import prepared


def train(booster, model, optimizer, criterion):
    batches = iter(prepared())
    for _ in range(100):
        booster.execute_pipeline(batches, model, criterion, optimizer)
