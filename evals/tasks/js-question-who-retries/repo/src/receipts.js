import { DEFAULTS } from './defaults.js';
import { request } from './http.js';

/** Sends the receipts of a day; each is tried up to five times. */
export async function sendReceipts(orders, { send }) {
  const failed = [];
  for (const order of orders) {
    let done = false;
    for (let attempt = 0; attempt < DEFAULTS.receipts.attempts && !done; attempt += 1) {
      const response = await request(send, { path: '/mail', body: { to: order.mail } });
      done = response.status === 200;
    }
    if (!done) failed.push(order.id);
  }
  return failed;
}
