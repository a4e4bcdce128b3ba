/** What differs by region. */
export const REGIONS = {
  us: { money: { currency: 'USD' }, tax: { percent: 0 } },
  jp: { money: { currency: 'JPY', decimals: 0 }, tax: { percent: 10 } },
  de: { money: { sign: ',' }, tax: { percent: 19, name: 'MwSt' } },
};
