# ValueError: Error when checking input: expected conv2d_1_input to have 4 dimensions, but got array with shape (150, 150, 3)
import numpy as np
from keras.models import Sequential
from keras.layers import Conv2D, Flatten, Dense
from keras.preprocessing import image

model = Sequential([
    Conv2D(32, (3, 3), input_shape=(150, 150, 3), activation='relu'),
    Flatten(),
    Dense(1, activation='sigmoid')])
model.compile(loss='binary_crossentropy', optimizer='adam')

img = image.load_img('cat.jpg', target_size=(150, 150))
x = image.img_to_array(img)
#+ x = np.expand_dims(x, axis=0)
print(model.predict(x))  # expect: DP613
