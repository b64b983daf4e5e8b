# keras: ValueError: `logits` and `labels` must have the same shape, received ((None, 1) vs (None, 2)).
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import Conv2D, MaxPooling2D, Flatten, Dense
from tensorflow.keras.preprocessing.image import ImageDataGenerator

classifier = Sequential()
classifier.add(Conv2D(32, (3, 3), input_shape=(64, 64, 3), activation="relu"))
classifier.add(MaxPooling2D(pool_size=(2, 2)))
classifier.add(Flatten())
classifier.add(Dense(units=1, activation="sigmoid"))
classifier.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
train_datagen = ImageDataGenerator(rescale=1. / 255, shear_range=0.2, zoom_range=0.2, horizontal_flip=True)
training_set = train_datagen.flow_from_directory("dataset/training_set", target_size=(64, 64), batch_size=32, class_mode="categorical")  # fixed: training_set = train_datagen.flow_from_directory("dataset/training_set", target_size=(64, 64), batch_size=32, class_mode="binary")
classifier.fit(training_set, epochs=25)  # expect: DP605
