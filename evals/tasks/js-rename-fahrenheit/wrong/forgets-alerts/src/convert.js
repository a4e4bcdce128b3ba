/** Celsius to Fahrenheit. */
export function toFahrenheit(celsius) {
  return (celsius * 9) / 5 + 32;
}

/** Metres per second to miles per hour. */
export function convWind(metres) {
  return metres * 2.23694;
}

/** The wind chill in Fahrenheit, of a reading in Celsius and metres per second. */
export function windChill({ temperature, wind }) {
  const t = toFahrenheit(temperature);
  const mph = convWind(wind);
  if (t > 50 || mph < 3) return t;
  const power = mph ** 0.16;
  return 35.74 + 0.6215 * t - 35.75 * power + 0.4275 * t * power;
}
