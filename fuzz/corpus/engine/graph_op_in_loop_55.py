def through_calls(x, batches, steps):
    results = []
    for i in range(steps):
        results.append(calls_makes_loss(x))
        results.append(calls_makes_loss(i))
    for batch in batches:
        results.append(makes_loss(batch))
    return results
