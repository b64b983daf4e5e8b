from pkg.brain import Brain
