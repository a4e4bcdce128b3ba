function two() {
  return 2;
}
