from setuptools import find_packages, setup


def lines_of(path):
    with open(path) as file:
        return [line.strip() for line in file]


NAME = "ourlib"
setup(name=NAME, packages=find_packages(), install_requires=lines_of("requirements/requirements.txt"))
