# ValueError: Input 0 of layer sequential is incompatible: expected shape=(None, 48, 48, 1), found shape=(None, 48)
import cv2
import numpy as np
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import Conv2D, Flatten, Dense

def get_model():
    model = Sequential()
    model.add(Conv2D(16, (3, 3), input_shape=(48, 48, 3)))
    model.add(Flatten())
    model.add(Dense(7, activation='softmax'))
    return model

model = get_model()
frame = cv2.imread('face.png')
gray = cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)  # fixed: gray = cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)
roi = cv2.resize(gray, (48, 48))
roi = np.expand_dims(roi, axis=0)
preds = model.predict(roi)[0]  # expect: DP613
