import * as adapters from './store-adapter.js';

/** Visits of each page, in the order of the first visit. */
export function createHistory() {
  const visits = new adapters.StoreAdapter();
  return {
    visit: (page) => visits.store(page, (visits.fetch(page) ?? 0) + 1),
    forget: (page) => visits.drop(page),
    get pages() {
      return visits.count;
    },
  };
}
