/** "12.50 EUR", or "12,50 EUR" with a comma as decimal sign. */
export function formatMoney(cents, { currency, decimals, sign }) {
  const text = (cents / 100).toFixed(decimals);
  return `${text.replace('.', sign)} ${currency}`;
}
