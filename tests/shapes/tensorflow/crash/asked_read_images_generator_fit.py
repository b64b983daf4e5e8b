# ValueError: `x` should be [images, height, width, channels]
import keras
from keras.preprocessing.image import ImageDataGenerator
(x_train, y_train), _ = keras.datasets.mnist.load_data()
x_train = x_train.astype('float32') / 255
datagen = ImageDataGenerator(featurewise_center=True)
datagen.fit(x_train)  # expect: DP604 # fixed: datagen.fit(x_train[..., None])
