import logging

import torch

logger = logging.getLogger(__name__)


def fires(model: torch.nn.Module, optimizer, train_loader):
    for step, x in enumerate(train_loader):
        output = model(x)
        loss = output.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        logger.debug(f"step {step}: {output}")  # expect: DP421
        if step % 100 == 0:
            logger.debug(f"step {step}: {output}")
        logger.debug("output %s", output)
        logger.debug(f"step {step}")
        logger.info(f"step {step}: {output.shape}")


def silent(output: torch.Tensor):
    logger.debug(f"output {output}")
