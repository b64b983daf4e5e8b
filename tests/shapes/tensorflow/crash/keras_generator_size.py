# keras: ValueError: Input 0 of layer "sequential" is incompatible with the layer: expected shape=(None, 150, 150, 3), found shape=(None, 224, 224, 3)
from keras.models import Sequential
from keras.layers import Conv2D, MaxPooling2D, Flatten, Dense, Dropout
from keras.preprocessing.image import ImageDataGenerator

img_width, img_height = 150, 150
model = Sequential()
model.add(Conv2D(32, (3, 3), input_shape=(img_width, img_height, 3), activation='relu'))
model.add(MaxPooling2D(pool_size=(2, 2)))
model.add(Flatten())
model.add(Dense(64, activation='relu'))
model.add(Dropout(0.5))
model.add(Dense(3, activation='softmax'))
model.compile(loss='categorical_crossentropy', optimizer='rmsprop', metrics=['accuracy'])
train_datagen = ImageDataGenerator(rescale=1. / 255)
train_generator = train_datagen.flow_from_directory('data/train', target_size=(224, 224), batch_size=16, class_mode='categorical')  # fixed: train_generator = train_datagen.flow_from_directory('data/train', target_size=(img_width, img_height), batch_size=16, class_mode='categorical')
model.fit_generator(train_generator, steps_per_epoch=100, epochs=10)  # expect: DP613
