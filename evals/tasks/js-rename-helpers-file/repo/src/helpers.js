/** Distance of two points. */
export const distance = ([ax, ay], [bx, by]) => Math.hypot(ax - bx, ay - by);

export const middle = ([ax, ay], [bx, by]) => [(ax + bx) / 2, (ay + by) / 2];
