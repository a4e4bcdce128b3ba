export class Cart {
  constructor() {
    this.items = [];
  }

  // Sum of all.
  total() {
    return this.items.reduce((sum, item) => sum + item.price, 0);
  }

  clear() {
    this.items = [];
  }
}
