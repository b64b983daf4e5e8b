# ValueError: Input 0 of layer sequential is incompatible with the layer: expected shape=(None, 48, 48, 1), found shape=(None, 48, 48, 3)
from keras.preprocessing.image import ImageDataGenerator
from keras.models import Sequential
from keras.layers import Conv2D, MaxPooling2D, Flatten, Dense, Dropout

train_gen = ImageDataGenerator(rescale=1. / 255).flow_from_directory(
    'fer/train',
    target_size=(48, 48),  # fixed: target_size=(48, 48), color_mode='grayscale',
    batch_size=64,
    class_mode='categorical')

def emotion_net(n):
    m = Sequential()
    m.add(Conv2D(64, (3, 3), padding='same', input_shape=(48, 48, 1), activation='relu'))
    m.add(MaxPooling2D())
    m.add(Flatten())
    m.add(Dense(128, activation='relu'))
    m.add(Dropout(0.5))
    m.add(Dense(n, activation='softmax'))
    m.compile(loss='categorical_crossentropy', optimizer='adam')
    return m

net = emotion_net(7)
net.fit_generator(train_gen, steps_per_epoch=400, epochs=20)  # expect: DP613 or DP601
