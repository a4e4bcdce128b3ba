export function find(list, id) {
  if (!Array.isArray(list)) {
    return null;
  }
  const index = list.findIndex((each) => each.id === id);
  if (index < 0) {
    return null;
  }
  const found = list[index];
  return { ...found, index };
}

export function sign(x) {
  if (x > 1) {
    return 1;
  }
  return 2;
}
