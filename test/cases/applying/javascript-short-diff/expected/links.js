export const first = (base) => `${base}?page=1`;
