import optax

RATE = 3e-4
adam = optax.adam(RATE)
late = optax.chain(optax.adamw(RATE), optax.clip_by_global_norm(1.0))  # expect: DP865
late_by_name = optax.chain(adam, optax.clip(0.1))  # expect: DP865
right = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(RATE))
parts = optax.chain(optax.scale_by_adam(), optax.clip_by_global_norm(1.0), optax.scale(-RATE))
decayed = optax.chain(optax.clip(1.0), adam, optax.add_decayed_weights(1e-4))  # expect: DP989
