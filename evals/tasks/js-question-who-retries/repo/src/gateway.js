import { DEFAULTS } from './defaults.js';
import { request } from './http.js';

/** Asks the provider to charge. A charge has a key, so that sending it again does no harm. */
export async function charge(payment, { send, wait, settings = {} }) {
  const { retries, pauseMs } = { ...DEFAULTS.gateway, ...settings };
  const key = `${payment.token}:${payment.amount}`;
  for (let retry = 0; ; retry += 1) {
    const response = await request(send, { path: '/charge', body: { ...payment, key }, retry: false });
    if (response.status < 500) return response.body;
    if (retry === retries) throw new Error(`provider answers ${response.status}`);
    await wait(pauseMs * (retry + 1));
  }
}
