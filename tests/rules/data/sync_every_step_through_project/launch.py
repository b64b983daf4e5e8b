"""Reaches it through two."""
from train import train

if __name__ == "__main__":
    print(train(input().split()))
