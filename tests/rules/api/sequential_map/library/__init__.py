from .api import *
