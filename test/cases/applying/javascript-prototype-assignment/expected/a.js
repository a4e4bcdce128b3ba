function Stack() {
  this.items = [];
}

Stack.prototype.push = function (item) {
  this.items.push(item);
};

Stack.prototype.pop = function () {
  return this.items.pop();
};

module.exports = Stack;
