const a = f(2);
