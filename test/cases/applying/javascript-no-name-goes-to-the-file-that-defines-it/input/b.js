function two() {
  return 1;
}
