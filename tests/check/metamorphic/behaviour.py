"""A program that prints what it does, for the test that transformations keep the meaning. It has what they look for."""

from __future__ import annotations

import json
import math as mathematics
from collections import OrderedDict, defaultdict

LOG = []


def note(*values):
    LOG.append(values)
    print(*values)
    return values[0]


def first(values, default=None):
    return values[0] if values else default


def double(value):
    if value is None:
        # nothing to double
        return 0
    else:  # a number
        return 2 * value


def total(values, weight=1):
    result = 0
    for value in values:
        if value > 2:
            note("large", value)
            if value > 3: note("very large")
            else: note("not very")
        else:
            result += weight * double(
                first([value],
                      None))
        # after the branches
    note("total", result)
    return note(double(result), "doubled")


def nested(value):
    def inner():
        nonlocal value
        value += 1
        return value

    note(inner(), value)
    note(first([inner()]), value)
    return "é" if (value if value > 1 else
                   -value) > 2 else ("many" if value else "none")


class Shape:
    sides = 4
    names = [first(["square"]), "rectangle"]

    def __init__(self, size):
        self.size = size
        self.__hidden = note(double(size))

    def area(self):
        note("area of", self.size)
        return self.size ** 2

    def hidden(self):
        return note(self.__hidden)

    @property
    def name(self):
        return self.names[0] if self.sides == 4 else "é"

    def describe(self, prefix="a"):
        text = prefix.join([self.name, str(self.area())])
        note(text.upper(), len(text))
        if (self.size and  # both
                text):
            return text
        elif text:
            return None
        else:
            return ""

    def largest(self, *others):
        sizes = [other.size for other in others]
        return max(max(sizes, default=0), self.size)


class Circle(Shape):
    sides = 0

    def __init__(self, size):
        super().__init__(size)
        self.ratio = round(mathematics.pi, 2)

    def area(self):
        return round(float(super().area() * self.ratio), 3)


def groups(words):
    found = defaultdict(list)
    for word in words:
        length = len(word)
        found[length].append(word); note(length)
    if not found:
        raise ValueError("no words")
    return OrderedDict(sorted(found.items()))


def sized(value, large=False):
    size = value
    if large:
        size = 100
    return size if not large else -size


def safe(function, *arguments):
    try:
        value = function(*arguments)
    except ValueError as error:
        note(str(error))
        value = None
    else:
        note("fine")
    finally:
        note("done")
    return value


def main():
    shapes = [Shape(2), Circle(3)]
    for shape in shapes:
        description = shape.describe()
        note(description)
        note(shape.largest(*shapes), shape.hidden())
    print(json.dumps(groups(["a", "bc", "de"])))
    print(f"{mathematics.floor(2.5)} {nested(1)}")
    note(total([1, 2, 3, 4], weight=2))
    note(sized(1), sized(1, large=True))
    grouped = safe(groups, [])
    print("empty" if grouped is None else "full")
    print(len(LOG), "notes")


if LOG:
    note("early")
else:
    note("late")

main()
