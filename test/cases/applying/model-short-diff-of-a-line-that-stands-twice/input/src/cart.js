import { shippingCost } from './shipping.js';

/** Sum of the lines in cents, before shipping. */
export function subtotal(lines) {
  return lines.reduce((sum, line) => sum + line.priceCents * line.quantity, 0);
}

/** What a customer pays for the lines: { subtotal, discount, shipping, total }, all in cents. */
export function checkout(lines, { country = 'DE', coupon } = {}) {
  const sum = subtotal(lines);
  const discount = coupon ? Math.min(sum, couponValue(coupon, sum)) : 0;
  const goods = sum - discount;
  const shipping = lines.length === 0 ? 0 : shippingCost(goods, country);
  return { subtotal: sum, discount, shipping, total: goods + shipping };
}

function couponValue(coupon, sum) {
  if (coupon.percent !== undefined) return Math.round((sum * coupon.percent) / 100);
  return coupon.cents ?? 0;
}
