export function wind(metres) {
  return metres * 2.23694;
}

export function toFahrenheit(celsius) {
  return (celsius * 9) / 5 + 32;
}

export function chill(celsius, metres) {
  return toFahrenheit(celsius) - wind(metres);
}
