# ValueError: Error when checking target: expected dense_3 to have shape (3,) but got array with shape (1,)
from keras.preprocessing.image import ImageDataGenerator
from keras.applications.mobilenet import MobileNet
from keras.layers import Dense, GlobalAveragePooling2D
from keras.models import Model

train = ImageDataGenerator(rescale=1./255).flow_from_directory('train', target_size=(224, 224), class_mode='binary')  # fixed: train = ImageDataGenerator(rescale=1./255).flow_from_directory('train', target_size=(224, 224), class_mode='categorical')
base = MobileNet(weights='imagenet', include_top=False, input_shape=(224, 224, 3))
x = GlobalAveragePooling2D()(base.output)
x = Dense(1024, activation='relu')(x)
preds = Dense(3, activation='softmax')(x)
model = Model(inputs=base.input, outputs=preds)
model.compile(optimizer='Adam', loss='categorical_crossentropy')
model.fit_generator(generator=train, steps_per_epoch=10, epochs=5)  # expect: DP605
