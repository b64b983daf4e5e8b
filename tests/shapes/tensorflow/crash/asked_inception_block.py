# ValueError: A Concatenate layer requires inputs with matching shapes
from tensorflow.keras.layers import Conv2D, MaxPooling2D, Input, concatenate
from tensorflow.keras.models import Model

def inception(x, f1, f3, f5):
    t1 = Conv2D(f1, (1, 1), padding='same', activation='relu')(x)
    t3 = Conv2D(f3, (3, 3), padding='same', activation='relu')(x)
    t5 = Conv2D(f5, (5, 5), activation='relu')(x)  # fixed: t5 = Conv2D(f5, (5, 5), padding='same', activation='relu')(x)
    pool = MaxPooling2D((3, 3), strides=(1, 1), padding='same')(x)
    return concatenate([t1, t3, t5, pool], axis=-1)  # expect: DP602

inp = Input(shape=(64, 64, 3))
out = inception(inp, 8, 16, 8)
model = Model(inp, out)
