/** Visits of each page, in the order of the first visit. */
export function createHistory() {
  const visits = new Map();
  return {
    visit: (page) => visits.set(page, (visits.get(page) ?? 0) + 1),
    forget: (page) => visits.delete(page),
    get pages() {
      return visits.size;
    },
  };
}
