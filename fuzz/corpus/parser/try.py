try: a
except: b
try:
    a
except A: pass
except (B, C) as e: pass
else: c
finally: d
try: a
except* A as e: b
except* (B, C): c
try: a
except A, B: pass
except A, B, C as e: pass
try: a
finally: b
