"""Reaches it through two."""
from train import train

if __name__ == "__main__":
    print(train([1, 2, 3]))
