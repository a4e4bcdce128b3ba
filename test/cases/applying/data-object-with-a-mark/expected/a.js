export const NAMES = {
  a: 'x',
  b: 'y',
  c: 'z',
};
