# keras: the model expects shape (None, 64, 64, 3) and found (None, 32, 32, 3)
import numpy as np
from keras.models import Sequential
from keras.layers import Conv2D, Flatten, Dense
from keras.preprocessing import image

model = Sequential()
model.add(Conv2D(8, (3, 3), input_shape=(64, 64, 3)))
model.add(Flatten())
model.add(Dense(1, activation='sigmoid'))
model.compile('adam', 'binary_crossentropy')
img = image.load_img('cat.jpg', target_size=(32, 32))  # fixed: img = image.load_img('cat.jpg', target_size=(64, 64))
x = image.img_to_array(img)
x = np.expand_dims(x, axis=0)
print(model.predict(x))  # expect: DP613
