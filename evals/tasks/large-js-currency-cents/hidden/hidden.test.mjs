import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invoiceMail } from './packages/mail-invoices/src/index.js';
import { orderMail } from './packages/mail-orders/src/index.js';
import { refundMail } from './packages/mail-refunds/src/index.js';
import { productMail } from './packages/mail-products/src/index.js';
import { showOrder } from './packages/routes-orders/src/index.js';
import { moneyText } from './packages/shared-format/src/money.js';
import { fillTemplate } from './packages/shared-mail/src/template.js';

test('every mail with money writes yen without a point', () => {
  assert.match(orderMail({ number: 1, total: 1200, currency: 'JPY' }, 'de').text, /total: ¥1200$/m);
  assert.match(invoiceMail({ number: 1, total: 5, currency: 'JPY' }).text, /total: ¥5$/m);
  assert.match(refundMail({ number: 1, amount: 990, currency: 'JPY' }).text, /amount: ¥990$/m);
  assert.match(productMail({ sku: 1, price: 990, currency: 'JPY' }).text, /price: ¥990$/m);
});
test('three digits, two digits', () => {
  assert.match(orderMail({ number: 1, total: 1234, currency: 'KWD' }).text, /total: KD 1\.234$/m);
  assert.match(orderMail({ number: 1, total: 1234, currency: 'USD' }).text, /total: \$12\.34$/m);
});
test('pages and other filters stay', () => {
  const store = { get: () => ({ number: 'A', total: 1200, currency: 'JPY' }) };
  assert.match(showOrder(store, 'A').body, /¥1200</);
  assert.equal(moneyText(1200, 'EUR'), '€12.00');
  assert.equal(fillTemplate('{{a|upper}} {{b|date}} {{c}}', { a: 'x', b: 0, c: 3 }), 'X 1970-01-01 3');
});
