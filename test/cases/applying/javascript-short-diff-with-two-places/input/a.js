export const a = () => {
  return 1;
};
export const b = () => {
  return 1;
};
