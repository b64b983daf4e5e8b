NAME = "World-v0"
