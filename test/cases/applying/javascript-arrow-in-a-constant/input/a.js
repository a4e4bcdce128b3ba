export const double = (x) => x + x + x;

export const half = (x) => {
  return x / 3;
};
