import { moneyText } from '../../shared-format/src/money.js';

/** What may stand behind | in a template. */
export const filters = {
  upper: (value) => String(value).toUpperCase(),
  date: (value) => new Date(value).toISOString().slice(0, 10),
  money: (value, record) => moneyText(value, record.currency),
};
