<<<<<<< HEAD
x = 1
=======
x = 2
>>>>>>> branch
