/** One contact on a line: 'Ada Lovelace <ada@example.org>, +44 20 1234'. */
export function formatContact({ name, mail, phone }) {
  let line = name;
  if (mail) line += ` <${mail}>`;
  if (phone) line += `, ${phone}`;
  return line;
}

export function formatContacts(contacts) {
  return contacts.map(formatContact).join('\n');
}
