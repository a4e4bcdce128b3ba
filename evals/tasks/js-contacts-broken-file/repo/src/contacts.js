import { loadContacts, saveContacts } from './file.js';

export function addContact(path, contact) {
  if (!contact.name) throw new Error('a contact needs a name');
  const contacts = loadContacts(path);
  if (contacts.some((one) => one.name === contact.name)) {
    throw new Error(`there is already a contact ${contact.name}`);
  }
  saveContacts(path, [...contacts, contact]);
}

export function removeContact(path, name) {
  const contacts = loadContacts(path);
  const left = contacts.filter((one) => one.name !== name);
  if (left.length === contacts.length) throw new Error(`no contact ${name}`);
  saveContacts(path, left);
}

/** Contacts whose name or mail contains the text; case does not matter. */
export function findContacts(path, text) {
  const wanted = text.toLowerCase();
  return loadContacts(path).filter((one) =>
    [one.name, one.mail ?? ''].some((value) => value.toLowerCase().includes(wanted)),
  );
}
