from dataclasses import dataclass

from tensorflow.keras import layers


def build(hidden):
    options = {"units": hidden, "return_sequences": True, "recurrent_dropout": 0.25}
    x = layers.Bidirectional(layers.LSTM(**options))  # expect: DP213
    shared = dict(units=hidden, activation="relu")
    y = layers.GRU(return_sequences=True, **shared)  # expect: DP213
    plain = dict(units=hidden, dropout=0.2)
    z = layers.LSTM(**plain)
    return x, y, z


@dataclass
class Config:
    units: int = 64
    recurrent_dropout: float = 0.1
    dropout: float = 0.1


def from_config(config: Config):
    a = layers.LSTM(config.units, recurrent_dropout=config.recurrent_dropout)  # expect: DP213
    b = layers.LSTM(config.units, dropout=config.dropout)
    return a, b


def unknown(**options):
    return layers.LSTM(64, **options)


from_config(Config())
