import { charge } from './gateway.js';
import { toCustomerError } from './errors.js';

/** Charges an order; throws what the customer may see. */
export async function pay(order, { send, wait }) {
  try {
    return await charge({ amount: order.cents, token: order.token }, { send, wait });
  } catch (error) {
    throw toCustomerError(error);
  }
}
