x = f"{a
y = f"{b!"
z = f"}"
w = f'''{c:
