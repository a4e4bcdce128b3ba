const ADDRESS = /^[^\s@]+@[^\s@]+$/;

/** The subscribers of a newsletter, in the order in which they signed up. */
export function createList(subscribers = []) {
  return { subscribers: subscribers.map((entry) => ({ ...entry })) };
}

export function isSubscribed(list, address) {
  const wanted = address.trim().toLowerCase();
  return list.subscribers.some((entry) => entry.address.toLowerCase() === wanted);
}

/** Puts an address on the list; false when it is there already. */
export function subscribe(list, address, name = '') {
  const wanted = address.trim();
  if (!ADDRESS.test(wanted)) throw new Error(`not an address: ${address}`);
  if (isSubscribed(list, wanted)) return false;
  list.subscribers.push({ address: wanted, name });
  return true;
}

/** Takes an address off the list; false when it was not there. */
export function unsubscribe(list, address) {
  const wanted = address.trim().toLowerCase();
  const rest = list.subscribers.filter((entry) => entry.address.toLowerCase() !== wanted);
  const removed = rest.length < list.subscribers.length;
  list.subscribers = rest;
  return removed;
}
