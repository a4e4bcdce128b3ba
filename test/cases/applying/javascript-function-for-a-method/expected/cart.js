class Cart {
  static of(items) {
    return new Cart([...items]);
  }

  async total() {
    return 1;
  }
}
