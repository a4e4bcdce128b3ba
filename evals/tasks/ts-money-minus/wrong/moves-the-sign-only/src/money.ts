export type Currency = 'USD' | 'GBP' | 'EUR' | 'JPY';

interface Style {
  symbol: string;
  digits: number;
  behind: boolean;
}

const STYLES: Record<Currency, Style> = {
  USD: { symbol: '$', digits: 2, behind: false },
  GBP: { symbol: '£', digits: 2, behind: false },
  EUR: { symbol: '€', digits: 2, behind: true },
  JPY: { symbol: '¥', digits: 0, behind: false },
};

function group(whole: number): string {
  return String(whole).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** 123456 US cents are '$1,234.56', 123456 euro cents '1,234.56 €'. */
export function formatMoney(amount: number, currency: Currency): string {
  const { symbol, digits, behind } = STYLES[currency];
  const unit = 10 ** digits;
  const whole = Math.trunc(amount / unit);
  const rest = Math.abs(amount % unit);
  let text = group(whole);
  if (digits > 0) text += `.${String(rest).padStart(digits, '0')}`;
  if (behind) return `${text} ${symbol}`;
  return text.startsWith('-') ? `-${symbol}${text.slice(1)}` : `${symbol}${text}`;
}
