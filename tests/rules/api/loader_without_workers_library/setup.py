from setuptools import find_packages, setup

setup(name="ourlib", packages=find_packages())
