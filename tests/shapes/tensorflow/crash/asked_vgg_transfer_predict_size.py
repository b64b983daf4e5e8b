# ValueError: Input 0 of layer model is incompatible: expected shape=(None, 224, 224, 3), found shape=(1, 128, 128, 3)
import numpy as np
from tensorflow.keras.applications.vgg16 import VGG16, preprocess_input
from tensorflow.keras.preprocessing.image import load_img, img_to_array
from tensorflow.keras.layers import Dense, Flatten
from tensorflow.keras.models import Model

base = VGG16(weights='imagenet', include_top=False, input_shape=(224, 224, 3))
for layer in base.layers:
    layer.trainable = False
x = Flatten()(base.output)
out = Dense(2, activation='softmax')(x)
model = Model(inputs=base.input, outputs=out)
img = load_img('dog.png', target_size=(128, 128))  # fixed: img = load_img('dog.png', target_size=(224, 224))
arr = preprocess_input(np.expand_dims(img_to_array(img), axis=0))
print(model.predict(arr))  # expect: DP613
