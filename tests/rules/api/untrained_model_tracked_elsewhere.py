import torch
import torch.nn.functional as F
from torchvision import models


def make_step(student, teacher, optimizer):
    def step(images):
        loss = F.mse_loss(student(images), teacher(images))  # expect: DP159
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


class Distill:
    def __init__(self):
        self.student = models.resnet18()
        self.teacher = models.resnet50(weights="DEFAULT").to("cuda").eval()
        self.quiet = models.resnet50(weights="DEFAULT").eval()
        self.optimizer = torch.optim.SGD(self.student.parameters(), lr=0.1)

    def step(self, x):
        with torch.no_grad():
            soft = self.quiet(x)
        loss = F.mse_loss(self.student(x), self.teacher(x)) + F.mse_loss(self.student(x), soft)  # expect: DP159
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def main(loader):
    teacher = models.convnext_base(weights="DEFAULT")
    teacher.eval()
    student = models.mobilenet_v2()
    student.train()
    optimizer = torch.optim.AdamW(student.parameters(), lr=1e-3)
    step = make_step(student, teacher, optimizer)
    distill = Distill()
    for x, y in loader:
        step(x)
        distill.step(x)
