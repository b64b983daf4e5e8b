from torchvision import transforms
from torchvision.transforms import v2

wrong = transforms.Compose([transforms.Resize(256), transforms.Normalize((0.5,), (0.5,)), transforms.ToTensor()])  # expect: DP172
erased = transforms.Compose([transforms.RandomErasing(), transforms.ToTensor()])  # expect: DP172
steps = [transforms.RandomCrop(32), transforms.Normalize([0.5], [0.5]), transforms.ToTensor()]  # expect: DP172
named = transforms.Compose(steps)
newer = v2.Compose([v2.Normalize([0.5], [0.5]), v2.ToImage()])  # expect: DP172

right = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,)), transforms.RandomErasing()])
tensors = transforms.Compose([transforms.Normalize((0.5,), (0.5,)), transforms.RandomErasing()])

# What becomes an image only in the middle was a tensor before.
reduced = transforms.Compose([transforms.Normalize((-1.0,), (2.0,)), transforms.ToPILImage(), transforms.Resize(32), transforms.ToTensor()])
