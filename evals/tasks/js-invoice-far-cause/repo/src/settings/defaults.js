export const DEFAULTS = {
  money: { currency: 'EUR', decimals: 2, sign: '.' },
  tax: { percent: 20, name: 'VAT' },
};
