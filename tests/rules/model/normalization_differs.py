from torchvision import datasets, transforms

NORMAL = transforms.Normalize((0.1307,), (0.3081,))


def one_without():
    both = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1307,), (0.3081,))])
    train = datasets.MNIST("data", train=True, transform=both)
    test = datasets.MNIST("data", train=False, transform=transforms.ToTensor())  # expect: DP276
    return train, test


def other_numbers():
    train_tf = transforms.Compose([transforms.RandomCrop(32), transforms.ToTensor(), transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))])
    test_tf = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))])
    return datasets.CIFAR10("data", train=True, transform=train_tf), datasets.CIFAR10("data", train=False, transform=test_tf)  # expect: DP276


def same():
    train_tf = transforms.Compose([transforms.RandomCrop(32), transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))])
    test_tf = transforms.Compose([transforms.ToTensor(), transforms.Normalize([0.5], [0.5])])
    return datasets.CIFAR10("data", train=True, transform=train_tf), datasets.CIFAR10("data", train=False, transform=test_tf)


def unknown(transform):
    return datasets.MNIST("data", train=True, transform=transform), datasets.MNIST("data", train=False, transform=transforms.ToTensor())
