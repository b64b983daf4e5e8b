import tensorflow as tf
import tensorflow_probability as tfp

SAMPLES = 1000
BURN_IN = 500

target = tfp.distributions.MultivariateNormalDiag(loc=tf.zeros(3))
kernel = tfp.mcmc.HamiltonianMonteCarlo(target_log_prob_fn=target.log_prob, step_size=0.1, num_leapfrog_steps=5)


def run_chain():
    return tfp.mcmc.sample_chain(
        num_results=SAMPLES, num_burnin_steps=BURN_IN, current_state=tf.zeros(3), kernel=kernel, trace_fn=None)


samples = run_chain()
result = samples.shape[0]
