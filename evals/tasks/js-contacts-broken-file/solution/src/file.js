import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** The contacts in a file: [{ name, mail, phone }]. */
export function loadContacts(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw new Error(`cannot read contacts: ${path}`, { cause: error });
  }
}

/** Writes the contacts beside the file first, so that a crash leaves the old ones. */
export function saveContacts(path, contacts) {
  const sorted = [...contacts].sort((a, b) => a.name.localeCompare(b.name, 'en'));
  const temporary = `${path}.new`;
  writeFileSync(temporary, `${JSON.stringify(sorted, null, 2)}\n`);
  renameSync(temporary, path);
}

const FIELDS = ['name', 'mail', 'phone'];

function csvField(value = '') {
  return /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Writes the contacts as CSV for other programs. */
export function exportContacts(path, contacts) {
  const rows = contacts.map((contact) => FIELDS.map((field) => csvField(contact[field])).join(','));
  writeFileSync(path, `${[FIELDS.join(','), ...rows].join('\n')}\n`);
}
