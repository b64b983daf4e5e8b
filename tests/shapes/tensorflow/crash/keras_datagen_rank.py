# keras: ValueError: Input to `.fit()` should have rank 4. Got array with shape: (60000, 28, 28)
from keras.datasets import mnist
from keras.preprocessing.image import ImageDataGenerator

(X_train, y_train), (X_test, y_test) = mnist.load_data()
X_train = X_train.astype('float32')
#+ X_train = X_train.reshape(-1, 28, 28, 1)
datagen = ImageDataGenerator(featurewise_center=True)
datagen.fit(X_train)  # expect: DP604
