export class Cart {
  constructor() {
    this.items = [];
  }

  // Sum of all.
  total() {
    return 0;
  }

  clear() {
    this.items = [];
  }
}
