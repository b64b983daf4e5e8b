from nets import build
from tensorflow import keras

keras.mixed_precision.set_global_policy("mixed_float16")
model = build()
