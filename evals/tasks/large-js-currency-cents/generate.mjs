// Writes a monorepo of a shop: many small packages that are wired alike, two of which format money.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = process.argv[2];
function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text.startsWith('\n') ? text.slice(1) : text);
}
const camel = (name) => name.replace(/-(.)/g, (_, c) => c.toUpperCase());

const areas = ['orders', 'refunds', 'carts', 'coupons', 'invoices', 'shipments', 'reviews', 'products', 'suppliers', 'stocks'];
const layers = ['model', 'store', 'routes', 'jobs', 'mail', 'export'];
const fields = {
  orders: ['number', 'customer', 'total'], refunds: ['number', 'reason', 'amount'], carts: ['owner', 'items', 'total'],
  coupons: ['code', 'percent', 'until'], invoices: ['number', 'customer', 'total'], shipments: ['number', 'carrier', 'weight'],
  reviews: ['product', 'stars', 'text'], products: ['sku', 'title', 'price'], suppliers: ['name', 'city', 'terms'], stocks: ['sku', 'place', 'count'],
};

write('package.json', `${JSON.stringify({ name: 'shop', private: true, type: 'module', workspaces: ['packages/*'] }, null, 2)}\n`);
write('README.md', `
# shop

A monorepo. Each area (${areas.join(', ')}) has the packages ${layers.join(', ')}; packages/shared-* serve all of them.
Tests of one package: \`node --test packages/NAME/test/\`.
`);

for (const area of areas) {
  const [first, second, third] = fields[area];
  const one = area.slice(0, -1);
  const Name = one[0].toUpperCase() + one.slice(1);
  const money = ['total', 'amount', 'price'].includes(third);
  for (const layer of layers) {
    const name = `${layer}-${area}`;
    write(`packages/${name}/package.json`, `${JSON.stringify({ name: `@shop/${name}`, version: '1.4.0', type: 'module', main: 'src/index.js' }, null, 2)}\n`);
    write(`packages/${name}/README.md`, `# @shop/${name}\n\nThe ${layer} part of ${area}.\n`);
  }
  write(`packages/model-${area}/src/index.js`, `export { make${Name} } from './${one}.js';\nexport { check${Name} } from './check.js';\n`);
  write(`packages/model-${area}/src/${one}.js`, `
/** A ${one} as the rest of the shop sees it.${money ? ' Money is a whole number of the smallest unit of its currency.' : ''} */
export function make${Name}({ ${first}, ${second}, ${third}${money ? ", currency = 'EUR'" : ''} }) {
  return Object.freeze({ ${first}, ${second}, ${third}${money ? ', currency' : ''} });
}
`);
  write(`packages/model-${area}/src/check.js`, `
/** What is missing in a ${one}, as a list of field names. */
export function check${Name}(${one}) {
  return ['${first}', '${second}', '${third}'].filter((field) => ${one}[field] === undefined || ${one}[field] === '');
}
`);
  write(`packages/store-${area}/src/index.js`, `
import { check${Name} } from '../../model-${area}/src/index.js';

/** Keeps ${area} in memory by their ${first}. */
export class ${Name}Store {
  #all = new Map();

  put(${one}) {
    const missing = check${Name}(${one});
    if (missing.length > 0) throw new Error(\`${one} without \${missing.join(', ')}\`);
    this.#all.set(${one}.${first}, ${one});
  }

  get(${first}) {
    return this.#all.get(${first});
  }

  list() {
    return [...this.#all.values()];
  }
}
`);
  write(`packages/routes-${area}/src/index.js`, `
${money ? "import { moneyText } from '../../shared-format/src/money.js';\n" : ''}import { page } from '../../shared-html/src/page.js';

/** The page of one ${one}. */
export function show${Name}(store, ${first}) {
  const ${one} = store.get(${first});
  if (!${one}) return { status: 404, body: page('Not found', '') };
  return { status: 200, body: page(String(${one}.${first}), ${money ? `moneyText(${one}.${third}, ${one}.currency)` : `String(${one}.${third})`}) };
}
`);
  write(`packages/jobs-${area}/src/index.js`, `
/** Counts ${area} by ${second}, for the nightly figures. */
export function count${Name}s(store) {
  const counts = {};
  for (const ${one} of store.list()) counts[${one}.${second}] = (counts[${one}.${second}] ?? 0) + 1;
  return counts;
}
`);
  write(`packages/mail-${area}/src/index.js`, `
import { fillTemplate } from '../../shared-mail/src/template.js';
import { template } from './template.js';

/** The mail about one ${one}, as { subject, text }. */
export function ${one}Mail(${one}, language = 'en') {
  const { subject, text } = template[language] ?? template.en;
  return { subject: fillTemplate(subject, ${one}), text: fillTemplate(text, ${one}) };
}
`);
  const place = money ? `{{${third}|money}}` : `{{${third}}}`;
  write(`packages/mail-${area}/src/template.js`, `
export const template = {
  en: { subject: 'Your ${one} {{${first}}}', text: 'Dear customer,\\n${third}: ${place}\\n' },
  de: { subject: '${Name} {{${first}}}', text: 'Guten Tag,\\n${third}: ${place}\\n' },
};
`);
  write(`packages/export-${area}/src/index.js`, `
import { csvLine } from '../../shared-format/src/csv.js';

/** All ${area} as CSV with a heading line. */
export function export${Name}s(store) {
  const fields = ['${first}', '${second}', '${third}'];
  return [csvLine(fields), ...store.list().map((${one}) => csvLine(fields.map((field) => ${one}[field])))].join('\\n');
}
`);
  for (const layer of ['model', 'store', 'jobs', 'export']) {
    write(`packages/${layer}-${area}/test/load.test.js`, `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as api from '../src/index.js';

test('@shop/${layer}-${area} exports something', () => {
  assert.ok(Object.keys(api).length > 0);
});
`);
  }
}

write('packages/shared-format/package.json', `${JSON.stringify({ name: '@shop/shared-format', version: '2.0.1', type: 'module' }, null, 2)}\n`);
write('packages/shared-format/src/currencies.js', `
/** Currencies of the shop: sign and digits behind the point. */
export const currencies = {
  EUR: { sign: '€', digits: 2 },
  USD: { sign: '$', digits: 2 },
  JPY: { sign: '¥', digits: 0 },
  KWD: { sign: 'KD ', digits: 3 },
};
`);
write('packages/shared-format/src/money.js', `
import { currencies } from './currencies.js';

/** An amount in the smallest unit of its currency, as text. */
export function moneyText(amount, currency) {
  const { sign, digits } = currencies[currency];
  return sign + (amount / 10 ** digits).toFixed(digits);
}
`);
write('packages/shared-format/src/csv.js', `
/** One line of CSV; fields with commas, quotes or line ends are quoted. */
export function csvLine(values) {
  return values.map((value) => (/[",\\n]/.test(String(value)) ? \`"\${String(value).replaceAll('"', '""')}"\` : String(value))).join(',');
}
`);
write('packages/shared-html/package.json', `${JSON.stringify({ name: '@shop/shared-html', version: '1.1.0', type: 'module' }, null, 2)}\n`);
write('packages/shared-html/src/page.js', `
/** A page with a title. */
export function page(title, body) {
  return \`<!doctype html><title>\${title}</title><main>\${body}</main>\`;
}
`);
write('packages/shared-mail/package.json', `${JSON.stringify({ name: '@shop/shared-mail', version: '0.9.2', type: 'module' }, null, 2)}\n`);
write('packages/shared-mail/src/template.js', `
import { filters } from './filters.js';

/** Replaces {{field}} and {{field|filter}} by values of the record. */
export function fillTemplate(text, record) {
  return text.replace(/\\{\\{(\\w+)(?:\\|(\\w+))?\\}\\}/g, (_, field, filter) => {
    const value = record[field];
    return filter ? filters[filter](value, record) : String(value);
  });
}
`);
write('packages/shared-mail/src/filters.js', `
import { currencies } from '../../shared-format/src/currencies.js';

/** What may stand behind | in a template. */
export const filters = {
  upper: (value) => String(value).toUpperCase(),
  date: (value) => new Date(value).toISOString().slice(0, 10),
  money: (value, record) => currencies[record.currency].sign + (value / 100).toFixed(2),
};
`);
write('packages/mail-orders/test/mail.test.js', `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderMail } from '../src/index.js';

const order = { number: 'A-17', customer: 'ann', total: 1200 };

test('mail of an order in euros', () => {
  assert.match(orderMail({ ...order, currency: 'EUR' }).text, /total: €12\\.00/);
});

test('mail of an order in yen', () => {
  assert.match(orderMail({ ...order, currency: 'JPY' }).text, /total: ¥1200$/m);
});

test('subject in German', () => {
  assert.equal(orderMail({ ...order, currency: 'EUR' }, 'de').subject, 'Order A-17');
});
`);
