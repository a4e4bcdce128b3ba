const PRIORITIES = ['high', 'normal', 'low'];

function compareText(a, b) {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** In the order in which the tasks were added. */
export function byAdded(a, b) {
  return a.id - b.id;
}

/** Earliest due date first. */
export function byDue(a, b) {
  return compareText(b.due ?? '', a.due ?? '') || byAdded(a, b);
}

/** High before normal before low. */
export function byPriority(a, b) {
  return PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) || byAdded(a, b);
}

export function byTitle(a, b) {
  return compareText(a.title.toLowerCase(), b.title.toLowerCase()) || byAdded(a, b);
}

export const ORDERS = { added: byAdded, due: byDue, priority: byPriority, title: byTitle };
