# -*- coding: latin-1 -*-
x = "éè"
é = 1
