import numpy


def restore():
    numpy.float = numpy.float64
    numpy.bool, numpy.str = bool, str
