template <typename T>
T most(T a, T b) {
  return a < b ? b : a;
}
