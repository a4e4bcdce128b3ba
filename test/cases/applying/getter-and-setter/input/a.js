class A {
  get x() {
    return this.y;
  }

  set x(value) {
    this.y = value;
  }
}
