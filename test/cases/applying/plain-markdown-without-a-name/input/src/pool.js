import { connect, longestWaitMs } from './connect.js';

/** Connections to several printers. `timeout` is for each; patience is what all may take one after the other. */
export function createPool(addresses, { timeout, size = addresses.length } = {}) {
  const options = timeout === undefined ? {} : { timeout };
  const links = addresses.slice(0, size).map((address) => connect(address, options));
  return { links, patienceMs: links.reduce((sum, link) => sum + longestWaitMs(link), 0) };
}
