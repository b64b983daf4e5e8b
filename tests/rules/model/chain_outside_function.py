import tensorflow as tf
import tensorflow_probability as tfp


def fires(kernel, start):
    return tfp.mcmc.sample_chain(num_results=1000, current_state=start, kernel=kernel)  # expect: DP255


@tf.function
def silent(kernel, start):
    return tfp.mcmc.sample_chain(num_results=1000, current_state=start, kernel=kernel)


@tf.function(jit_compile=True)
def compiled(kernel, start):
    return tfp.mcmc.sample_chain(num_results=1000, current_state=start, kernel=kernel)
