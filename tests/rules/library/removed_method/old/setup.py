from setuptools import setup

setup(install_requires=["tensorflow==2.3.0"])
