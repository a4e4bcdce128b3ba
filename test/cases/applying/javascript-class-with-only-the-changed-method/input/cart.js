export class Cart extends Base {
  constructor() {
    super();
    this.items = [];
  }

  total() {
    return 0;
  }
}
