export const en = {
  greeting: 'Hello, {name}!',
  unread: { one: '{count} unread message', other: '{count} unread messages' },
  days: { one: '{count} day ago', other: '{count} days ago' },
  empty: 'No messages',
};
