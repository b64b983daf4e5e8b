# ValueError: Error when checking input: expected conv2d_1_input to have shape (64, 64, 3) but got array with shape (50, 50, 3)
import os, cv2
import numpy as np
from keras.models import Sequential
from keras.layers import Conv2D, MaxPooling2D, Flatten, Dense

IMG_SIZE = 50
CATEGORIES = ['dog', 'cat']

def create_training_data():
    training_data = []
    for category in CATEGORIES:
        path = os.path.join('data', category)
        class_num = CATEGORIES.index(category)
        for img in os.listdir(path):
            try:
                img_array = cv2.imread(os.path.join(path, img))
                new_array = cv2.resize(img_array, (IMG_SIZE, IMG_SIZE))
                training_data.append([new_array, class_num])
            except Exception as e:
                pass
    return training_data

training_data = create_training_data()
X, y = [], []
for features, label in training_data:
    X.append(features)
    y.append(label)
X = np.array(X).reshape(-1, IMG_SIZE, IMG_SIZE, 3)
y = np.array(y)
model = Sequential()
model.add(Conv2D(64, (3, 3), input_shape=(64, 64, 3)))  # fixed: model.add(Conv2D(64, (3, 3), input_shape=X.shape[1:]))
model.add(MaxPooling2D(pool_size=(2, 2)))
model.add(Flatten())
model.add(Dense(1, activation='sigmoid'))
model.compile(loss='binary_crossentropy', optimizer='adam')
model.fit(X, y, batch_size=32, validation_split=0.1)  # expect: DP613
