function run(list) {
  const start = Date.now();
  let total = 0;
  for (const each of list) {
    total += each;
  }
  console.log(start);
  return total;
}
