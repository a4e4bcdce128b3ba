function outer() {
  function inner() {
    return 1;
  }

  return inner();
}
