"""Does not mention TensorFlow, but what it calls makes operations."""
from pkg import Brain

brain = Brain()
for step in range(100000):
    brain.learn()  # expect: DP201
