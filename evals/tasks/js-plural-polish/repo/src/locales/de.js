export const de = {
  greeting: 'Hallo, {name}!',
  unread: { one: '{count} ungelesene Nachricht', other: '{count} ungelesene Nachrichten' },
  days: { one: 'vor {count} Tag', other: 'vor {count} Tagen' },
  empty: 'Keine Nachrichten',
};
