# keras: ValueError: Input 0 of layer "resnet50" is incompatible with the layer: expected shape=(None, 96, 96, 3), found shape=(None, 96, 96, 1)
import numpy as np
from tensorflow.keras.applications import MobileNetV2
from tensorflow.keras.layers import GlobalAveragePooling2D, Dense
from tensorflow.keras.models import Model

base = MobileNetV2(input_shape=(96, 96, 3), include_top=False, weights=None)
x = GlobalAveragePooling2D()(base.output)
out = Dense(7, activation="softmax")(x)
model = Model(base.input, out)
model.compile(loss="categorical_crossentropy", optimizer="adam")
faces = np.zeros((50, 96, 96, 1), dtype="float32")
#+ faces = np.repeat(faces, 3, axis=-1)
emotions = np.eye(7)[np.random.randint(0, 7, 50)]
model.fit(faces, emotions, epochs=1)  # expect: DP613 or DP601
