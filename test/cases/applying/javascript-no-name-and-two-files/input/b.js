function one() {
  return 1;
}
