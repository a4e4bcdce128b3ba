import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readForm } from '../src/form.js';
import { contactLink } from '../src/profile.js';
import { signUp } from '../src/signup.js';

test('a form, a profile and a sign-up', () => {
  assert.equal(readForm({ a: 'x', b: '+49 123 456' }).contact, 'b');
  assert.deepEqual(signUp({ email: 'Ada@example.org' }), { ok: true, email: 'ada@example.org' });
  assert.equal(contactLink('a@b.de'), 'mailto:a@b.de');
});
