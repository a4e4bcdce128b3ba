function one() {
  return 2;
}
