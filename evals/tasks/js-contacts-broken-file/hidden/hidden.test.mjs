import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { addContact, findContacts, removeContact } from './src/contacts.js';
import { loadContacts } from './src/file.js';

let folder;
let path;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contacts-'));
  path = join(folder, 'contacts.json');
});
afterEach(() => rmSync(folder, { recursive: true }));
const refused = () => ({ message: `cannot read contacts: ${path}` });

test('a damaged file is refused and stays', () => {
  const damaged = '[{ "name": "Ada" },]\n';
  writeFileSync(path, damaged);
  assert.throws(() => loadContacts(path), (error) => error instanceof Error && error.message === refused().message);
  assert.throws(() => addContact(path, { name: 'Bob' }), refused());
  assert.throws(() => findContacts(path, 'a'), refused());
  assert.throws(() => removeContact(path, 'Ada'), refused());
  assert.equal(readFileSync(path, 'utf8'), damaged);
});

test('an empty file is damaged, too', () => {
  writeFileSync(path, '');
  assert.throws(() => loadContacts(path), refused());
});

test('what cannot be read at all is refused', () => {
  mkdirSync(path);
  assert.throws(() => loadContacts(path), refused());
});

test('a missing file is an empty list', () => {
  assert.deepEqual(loadContacts(path), []);
  addContact(path, { name: 'Ada' });
  assert.deepEqual(loadContacts(path), [{ name: 'Ada' }]);
  removeContact(path, 'Ada');
  assert.deepEqual(loadContacts(path), []);
});
