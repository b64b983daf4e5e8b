# tensorflow: the model takes [N, 224, 224, 3], but gets [40, 128, 128, 3]
from keras.applications.vgg16 import VGG16
from keras.layers import Dense, Flatten
from keras.models import Model
import numpy as np

base = VGG16(weights='imagenet', include_top=False, input_shape=(224, 224, 3))
for layer in base.layers:
    layer.trainable = False
x = Flatten()(base.output)
x = Dense(256, activation='relu')(x)
out = Dense(5, activation='softmax')(x)
model = Model(base.input, out)
model.compile('adam', 'categorical_crossentropy')
images = np.zeros((40, 128, 128, 3))  # fixed: images = np.zeros((40, 224, 224, 3))
labels = np.eye(5)[np.random.randint(0, 5, 40)]
model.fit(images, labels, epochs=1)  # expect: DP613
