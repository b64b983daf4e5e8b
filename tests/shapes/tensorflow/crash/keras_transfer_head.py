# keras: ValueError: Input 0 of layer dense is incompatible: Shapes (None, 7, 7, 5) vs (None, 5)
import numpy as np
from tensorflow.keras.applications.resnet50 import ResNet50
from tensorflow.keras.layers import Dense, GlobalAveragePooling2D
from tensorflow.keras.models import Model

base_model = ResNet50(weights=None, include_top=False, input_shape=(224, 224, 3))
x = base_model.output
#+ x = GlobalAveragePooling2D()(x)
x = Dense(256, activation="relu")(x)
predictions = Dense(5, activation="softmax")(x)
model = Model(inputs=base_model.input, outputs=predictions)
for layer in base_model.layers:
    layer.trainable = False
model.compile(optimizer="adam", loss="categorical_crossentropy")
x_train = np.zeros((16, 224, 224, 3))
y_train = np.eye(5)[np.random.randint(0, 5, 16)]
model.fit(x_train, y_train)  # expect: DP605
