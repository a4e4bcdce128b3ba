export const merge = (a, b) => {
  return {
    ...a,
    ...b,
  };
};
