import { moneyText } from '../../shared-format/src/money.js';
import { fillTemplate } from '../../shared-mail/src/template.js';
import { template } from './template.js';

/** The mail about one order, as { subject, text }. */
export function orderMail(order, language = 'en') {
  const { subject, text } = template[language] ?? template.en;
  const shown = text.replace('{{total|money}}', () => moneyText(order.total, order.currency));
  return { subject: fillTemplate(subject, order), text: fillTemplate(shown, order) };
}
