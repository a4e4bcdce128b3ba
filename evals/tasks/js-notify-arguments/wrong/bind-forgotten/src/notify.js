export const sent = [];

/** Sends a text to a user. */
export function notify(user, text) {
  sent.push({ to: user.name, text: `${user.greeting ?? 'Hello'} ${user.name}: ${text}` });
}

export function notifyAll(text, users) {
  for (const user of users) notify(user, text);
}
