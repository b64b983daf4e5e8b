"""A GAN at module level, in the style of many repositories."""
import numpy as np
import torch
from torch import nn
from torch.autograd import Variable

cuda = torch.cuda.is_available()
Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor


def block(inputs, outputs, normalize=True):
    layers = [nn.Linear(inputs, outputs)]
    if normalize:
        layers.append(nn.BatchNorm1d(outputs, 0.8))
    layers.append(nn.LeakyReLU(0.2))
    return layers


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(*block(100, 128, normalize=False), *block(128, 256), nn.Linear(256, 784), nn.Tanh())

    def forward(self, z):
        return self.model(z)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(784, 256), nn.LeakyReLU(0.2), nn.Linear(256, 1), nn.Sigmoid())

    def forward(self, image):
        return self.model(image)


def sample(count):
    return Variable(Tensor(np.random.normal(0, 1, (count, 100))))


generator = Generator()
discriminator = Discriminator()
loss_function = torch.nn.BCELoss()
if cuda:
    generator.cuda()
    discriminator.cuda()
optimizer_g = torch.optim.Adam(generator.parameters(), lr=0.0002)
optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=0.0002)


def train(dataloader, epochs):
    running = 0
    for epoch in range(epochs):
        for i, (images, _) in enumerate(dataloader):
            valid = torch.ones(images.size(0), 1).cuda()
            optimizer_g.zero_grad()
            fake = generator(sample(images.size(0)))
            g_loss = loss_function(discriminator(fake), valid)
            g_loss.backward()
            optimizer_g.step()
            optimizer_d.zero_grad()
            d_loss = loss_function(discriminator(images.type(Tensor)), valid)
            d_loss.backward()
            optimizer_d.step()
            running += g_loss
            print("epoch %d batch %d loss %f" % (epoch, i, g_loss.item()))
            if i % 100 == 0:
                torch.cuda.empty_cache()
            else:
                torch.cuda.synchronize()
    return running
