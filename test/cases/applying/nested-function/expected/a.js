function outer() {
  let count = 0;

  function inner() {
    return count++;
  }

  return inner;
}
