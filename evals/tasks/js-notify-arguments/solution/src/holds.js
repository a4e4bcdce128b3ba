import * as messages from './notify.js';

export function ready(hold) {
  messages.notify(hold.reader, `${hold.title} can be fetched (shelf ${hold.shelf})`);
  hold.others.forEach((other) => messages.notify(other, 'please wait'));
}
