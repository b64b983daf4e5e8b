from keras.layers import Conv2D, Dense, GlobalAveragePooling2D
from keras.models import Sequential
from keras.preprocessing.image import ImageDataGenerator

SIZE = 224
BATCH = 32
FOLDER = "train"

batches = ImageDataGenerator(rescale=1 / 255.0).flow_from_directory(
    FOLDER, target_size=(SIZE, SIZE), batch_size=BATCH, class_mode="sparse")

model = Sequential([Conv2D(16, 3, activation="relu", input_shape=(SIZE, SIZE, 3)), GlobalAveragePooling2D(), Dense(10, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit_generator(batches, epochs=5, workers=4)
result = 5
