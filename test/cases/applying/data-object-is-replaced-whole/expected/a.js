export const NAMES = {
  a: 'x',
};
