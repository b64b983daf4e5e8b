# ValueError: Input 0 of layer conv1d is incompatible with the layer: expected min_ndim=3, found ndim=2
from tensorflow.keras import layers, models, backend as K

inp = layers.Input((100,))
x = layers.Lambda(lambda t: K.expand_dims(t, -1))(inp)
x = layers.Lambda(lambda t: K.squeeze(t, -1))(x)  # fixed:
x = layers.Conv1D(8, 3)(x)  # expect: DP604
m = models.Model(inp, x)
