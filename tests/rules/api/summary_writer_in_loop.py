import tensorflow as tf
from torch.utils.tensorboard import SummaryWriter

LOGS = "logs"


def fires(steps, step, args):
    for i in range(steps):
        writer = SummaryWriter("runs")  # expect: DP115
        writer.add_scalar("loss", step(i), i)
    for i in range(steps):
        with tf.summary.create_file_writer(args.logdir).as_default():  # expect: DP115
            tf.summary.scalar("loss", step(i), step=i)
    while steps:
        writer = tf.summary.FileWriter(LOGS)  # expect: DP115  # hint: DP301
        steps -= 1


def log_once(value):
    writer = SummaryWriter("runs")  # expect: DP115
    writer.add_scalar("loss", value)


def calls_it(steps):
    for i in range(steps):
        log_once(i)


def one_for(folder):
    writer = SummaryWriter(folder)
    return writer


def silent(runs, steps, step):
    writer = SummaryWriter("runs")
    for i in range(steps):
        writer.add_scalar("loss", step(i), i)
    for run in runs:
        writer = SummaryWriter("runs/" + run)
    for run in runs:
        one_for(run)
    for i in range(steps):
        if i == 0:
            writer = SummaryWriter("runs")
    for name in ["a", "b"]:
        writer = SummaryWriter("runs")
