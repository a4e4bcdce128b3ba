import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as form from './src/form.js';
import { contactLink } from './src/profile.js';
import { signUp } from './src/signup.js';
import * as validators from './src/validators.js';

test('they live in the new file alone', () => {
  assert.equal(validators.isEmail(' a@b.de '), true);
  assert.equal(validators.isPhone('12'), false);
  assert.equal(validators.isPhone('+49 123 456'), true);
  assert.deepEqual(Object.keys(form), ['readForm']);
  assert.doesNotMatch(readFileSync('src/form.js', 'utf8'), /EMAIL|PHONE|function is/);
});

test('all users go along', () => {
  assert.deepEqual(form.readForm({ x: '', y: '1234567' }), { fields: { y: '1234567' }, contact: 'y' });
  assert.deepEqual(signUp({ email: 'no' }), { ok: false, error: 'email' });
  assert.equal(contactLink('+49 123 456'), 'tel:+49123456');
  assert.equal(contactLink('x'), undefined);
  assert.match(readFileSync('src/signup.js', 'utf8'), /validators\.js/);
});
