import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { addContact, findContacts, removeContact } from '../src/contacts.js';
import { formatContacts } from '../src/format.js';

let folder;
let path;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contacts-'));
  path = join(folder, 'contacts.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('add and find', () => {
  addContact(path, { name: 'Grace Hopper', mail: 'grace@example.org' });
  addContact(path, { name: 'Ada Lovelace', phone: '+44 20 1234' });
  assert.equal(formatContacts(findContacts(path, '')), 'Ada Lovelace, +44 20 1234\nGrace Hopper <grace@example.org>');
  assert.equal(findContacts(path, 'EXAMPLE').length, 1);
});

test('no name twice', () => {
  addContact(path, { name: 'Ada' });
  assert.throws(() => addContact(path, { name: 'Ada' }), /already a contact Ada/);
});

test('remove', () => {
  addContact(path, { name: 'Ada' });
  removeContact(path, 'Ada');
  assert.deepEqual(findContacts(path, ''), []);
  assert.throws(() => removeContact(path, 'Ada'), /no contact Ada/);
});
