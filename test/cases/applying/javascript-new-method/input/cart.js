class Cart {
  add(item) {
    this.items.push(item);
  }
}

module.exports = Cart;
