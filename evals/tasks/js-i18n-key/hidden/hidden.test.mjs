import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { badge, button } from './src/badge.js';
import { translator } from './src/translate.js';
import { afterClear, view } from './src/view.js';

const EXPECTED = {
  en: { 'cart.add': 'Add', 'basket.empty': 'Nothing here yet', 'cart.emptied': 'Removed everything', pay: 'Pay' },
  de: { 'cart.add': 'Hinzufügen', 'basket.empty': 'Noch nichts drin', 'cart.emptied': 'Alles entfernt', pay: 'Zahlen' },
  pl: { 'cart.add': 'Dodaj', 'cart.emptied': 'Usunięto wszystko', 'basket.empty': 'Pusto', pay: 'Zapłać' },
};

for (const [language, texts] of Object.entries(EXPECTED))
  test(language, () => {
    const now = JSON.parse(readFileSync(`locales/${language}.json`, 'utf8'));
    assert.deepEqual(Object.entries(now), Object.entries(texts));
    const t = translator(language);
    assert.deepEqual(view([], t), [texts['basket.empty']]);
    assert.equal(badge(0, t), texts['basket.empty']);
    assert.equal(button(t), texts['cart.add']);
    assert.equal(afterClear(t), texts['cart.emptied']);
  });
