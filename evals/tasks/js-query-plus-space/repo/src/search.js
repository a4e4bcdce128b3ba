import { parseQuery } from './query.js';

const PRODUCTS = ['red shoes', 'blue shoes', 'red hat', 'A+ notebook'];

/** The products whose name has the text searched for. */
export function search(address) {
  const at = address.indexOf('?');
  const { q = '' } = at === -1 ? {} : parseQuery(address.slice(at));
  return PRODUCTS.filter((name) => name.toLowerCase().includes(q.toLowerCase()));
}
