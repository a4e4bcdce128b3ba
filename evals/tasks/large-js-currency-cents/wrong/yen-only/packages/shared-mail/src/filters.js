import { currencies } from '../../shared-format/src/currencies.js';

/** What may stand behind | in a template. */
export const filters = {
  upper: (value) => String(value).toUpperCase(),
  date: (value) => new Date(value).toISOString().slice(0, 10),
  money: (value, record) =>
    record.currency === 'JPY' ? `¥${value}` : currencies[record.currency].sign + (value / 100).toFixed(2),
};
