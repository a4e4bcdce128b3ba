export class Meter {
  constructor(name) {
    this.name = name;
    this.readings = [];
  }

  add(amount) {
    if (!(amount >= 0)) throw new RangeError(`${this.name}: ${amount} is no reading`);
    this.readings.push(amount);
    return this;
  }

  get total() {
    return this.readings.reduce((sum, amount) => sum + amount, 0);
  }
}
