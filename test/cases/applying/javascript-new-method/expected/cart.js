class Cart {
  add(item) {
    this.items.push(item);
  }

  remove(item) {
    this.items = this.items.filter((each) => each !== item);
  }
}

module.exports = Cart;
