from setuptools import find_packages, setup

setup(name="worlds-library", packages=find_packages())
