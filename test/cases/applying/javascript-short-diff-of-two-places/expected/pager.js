export function pages(count, size) {
  const whole = Math.floor(count / size);
  const rest = count % size;
  return rest ? whole + 1 : whole;
}
