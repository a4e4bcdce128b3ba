export const NAMES = {
  a: 'x',
  wrong: 'y',
};
