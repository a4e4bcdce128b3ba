const NAMES = { red: '#f00', gray: '#888', black: '#000' };

export function color(name) {
  const value = NAMES[name];
  if (!value) throw new RangeError(`no color ${name}`);
  return value;
}

/** @deprecated Use `color`. */
export const colour = color;

export const gray = (share) => `#${Math.round(share * 255).toString(16).padStart(2, '0').repeat(3)}`;

/** @deprecated Use `gray`. */
export function grey(share) {
  return gray(share);
}
