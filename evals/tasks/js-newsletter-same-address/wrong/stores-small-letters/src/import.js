/**
 * Adds the lines "address;name" of an export from another system. Files can be long, so known addresses are kept in a set.
 * Gives how many were added and how many were on the list already.
 */
export function importSubscribers(list, text) {
  const known = new Set(list.subscribers.map((entry) => entry.address.toLowerCase()));
  const counts = { added: 0, known: 0 };
  for (const line of text.split(/\r?\n/)) {
    const [address, name = ''] = line.split(';').map((cell) => cell.trim());
    if (!address.includes('@')) continue;
    if (known.has(address.toLowerCase())) {
      counts.known += 1;
      continue;
    }
    known.add(address.toLowerCase());
    list.subscribers.push({ address, name });
    counts.added += 1;
  }
  return counts;
}
