import flax.linen as nn


class Block(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.Dense(64)(x)
        x = nn.Dropout(0.1, deterministic=False)(x)  # expect: DP862
        x = nn.Dropout(0.1)(x, deterministic=False)  # expect: DP862
        return nn.BatchNorm(use_running_average=False)(x)  # expect: DP862


class Right(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.Dropout(0.1, deterministic=not train)(x)
        x = nn.Dropout(0.1)(x, deterministic=not train)
        return nn.BatchNorm(use_running_average=not train)(x)


class Inverted(nn.Module):
    @nn.compact
    def __call__(self, x, deterministic):
        x = nn.Dropout(0.1, deterministic=False)(x)  # expect: DP862
        return nn.Dropout(0.1, deterministic=deterministic)(x)


class Frozen(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.BatchNorm(use_running_average=True)(x)
        if train:
            x = nn.Dropout(0.1, deterministic=False)(x)
        return x


class NoFlag(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dropout(0.1, deterministic=False)(x)
