# tensorflow: categorical_crossentropy takes one-hot labels, but gets labels [N, classes] and an output of [N, 1]
from tensorflow.keras.preprocessing.image import ImageDataGenerator
from tensorflow.keras import layers, models

gen = ImageDataGenerator(rescale=1 / 255.)
train = gen.flow_from_directory('flowers/train', target_size=(150, 150), batch_size=20,
                                classes=['daisy', 'rose', 'tulip'], class_mode='categorical')
model = models.Sequential()
model.add(layers.Conv2D(32, 3, activation='relu', input_shape=(150, 150, 3)))
model.add(layers.MaxPooling2D(2))
model.add(layers.Flatten())
model.add(layers.Dense(1, activation='sigmoid'))  # fixed: model.add(layers.Dense(3, activation='softmax'))
model.compile(loss='categorical_crossentropy', optimizer='adam', metrics=['acc'])
model.fit(train, epochs=5)  # expect: DP605
