const NAMES = { red: '#f00', gray: '#888', black: '#000' };

export function color(name) {
  const value = NAMES[name];
  if (!value) throw new RangeError(`no color ${name}`);
  return value;
}

export const gray = (share) => `#${Math.round(share * 255).toString(16).padStart(2, '0').repeat(3)}`;
