# ValueError: Shapes (None, 1) and (None, 5) are incompatible: the generator yields integer classes
from tensorflow.keras.preprocessing.image import ImageDataGenerator
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import Conv2D, GlobalAveragePooling2D, Dense

IMG = 128
gen = ImageDataGenerator(rescale=1. / 255, horizontal_flip=True)
train = gen.flow_from_directory('data/train', target_size=(IMG, IMG), batch_size=16,
                                class_mode='sparse')  # fixed: class_mode='categorical')
model = Sequential()
model.add(Conv2D(32, 3, activation='relu', input_shape=(IMG, IMG, 3)))
model.add(GlobalAveragePooling2D())
model.add(Dense(5, activation='softmax'))
model.compile('adam', loss='categorical_crossentropy', metrics=['acc'])
model.fit(train, epochs=10)  # expect: DP605
