@x
def f(a): return a + 1


x = 1
