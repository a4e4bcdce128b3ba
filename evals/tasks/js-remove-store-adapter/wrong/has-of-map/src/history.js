/** Visits of each page, in the order of the first visit. */
export function createHistory() {
  const visits = new Map();
  return {
    visit: (page) => {
      const count = (visits.get(page) ?? 0) + 1;
      visits.set(page, count);
      return count;
    },
    forget: (page) => visits.delete(page),
    get pages() {
      return visits.size;
    },
  };
}
