export const one = () => 2;
