# Pictures whose channels depend on the file, the flag or the mode.
import cv2
import numpy as np
from PIL import Image
from keras.layers import Conv2D, Dense, Flatten
from keras.models import Sequential
from keras.preprocessing import image

model = Sequential([Conv2D(8, 3, input_shape=(32, 32, 3)), Flatten(), Dense(2)])
raw = cv2.imread("a.png", cv2.IMREAD_UNCHANGED)
model.predict(np.expand_dims(cv2.resize(raw, (32, 32)), 0))
color = cv2.cvtColor(cv2.imread("a.png"), cv2.COLOR_BGR2RGB)
model.predict(cv2.resize(color, (32, 32))[np.newaxis, ...])
picture = Image.open("a.png").resize((32, 32))
model.predict(np.asarray(picture)[None])
model.predict(np.array(picture.convert("RGB")).reshape(1, 32, 32, 3))
gray = np.array(Image.open("a.png").convert("L").resize((32, 32)))
model.predict(np.repeat(gray[None, ..., None], 3, axis=3))
loaded = image.img_to_array(image.load_img("a.png", target_size=(32, 32)))
model.predict(np.expand_dims(loaded, axis=0))
stack = []
for name in ("a.png", "b.png"):
    stack.append(cv2.resize(cv2.imread(name), (32, 32)))
model.predict(np.array(stack))
model.predict(np.array([cv2.resize(cv2.imread(n), (32, 32)) for n in open("names")]))
