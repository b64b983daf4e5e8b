import tensorflow as tf
from tensorflow import keras


def build():
    base = keras.applications.EfficientNetB0(include_top=False, pooling="avg")
    base.trainable = False
    inputs = keras.Input((224, 224, 3))
    return keras.Model(inputs, keras.layers.Dense(5)(base(inputs))), base  # expect: DP860


model, base = build()
base.trainable = True

partial = keras.applications.MobileNetV2(include_top=False, pooling="avg")
partial.trainable = False
image = keras.Input((224, 224, 3))
features = partial(image)  # expect: DP860
for layer in partial.layers[-20:]:
    layer.trainable = True

in_inference = keras.applications.ResNet50(include_top=False)
in_inference.trainable = False
kept = in_inference(image, training=False)
in_inference.trainable = True

frozen = keras.applications.ResNet50(include_top=False)
frozen.trainable = False
always_frozen = frozen(image)

whole = keras.applications.ResNet50(include_top=False)
always_trained = whole(image)
whole.trainable = True

without = keras.applications.VGG16(include_top=False)
without.trainable = False
has_none = without(image)
without.trainable = True

fresh = keras.applications.ResNet50(include_top=False, weights=None)
fresh.trainable = False
nothing_to_lose = fresh(image)
fresh.trainable = True


def spared():
    spared_base = keras.applications.Xception(include_top=False)
    spared_base.trainable = False
    outputs = spared_base(image)
    for layer in spared_base.layers:
        if not isinstance(layer, keras.layers.BatchNormalization):
            layer.trainable = True
    return outputs
