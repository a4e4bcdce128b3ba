function run(list) {
  let total = 0;
  return total;
}
