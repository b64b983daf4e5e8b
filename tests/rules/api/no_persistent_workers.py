from torch.utils.data import DataLoader


def fires(model, optimizer, images, epochs):
    loader = DataLoader(images, batch_size=64, num_workers=4)
    for epoch in range(epochs):
        for i, x in enumerate(loader):  # expect: DP147
            model(x).mean().backward()
            optimizer.step()
            optimizer.zero_grad()


def silent(model, optimizer, images, epochs, kwargs):
    a = DataLoader(images, batch_size=64, num_workers=4, persistent_workers=True)
    b = DataLoader(images, batch_size=64)  # hint: DP130
    c = DataLoader(images, batch_size=64, num_workers=0)
    d = DataLoader(images, **kwargs)
    e = DataLoader(images, num_workers=4)
    for epoch in range(epochs):
        for x in a:
            model(x).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
        for x in b:
            model(x)
        for x in c:
            model(x)
        for x in d:
            model(x)
    for x in e:
        model(x).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    for epoch in range(2):
        for x in e:
            model(x).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
