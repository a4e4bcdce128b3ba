import * as messages from './notify.js';

export function ready(hold) {
  messages.notify(
    `${hold.title} can be fetched (shelf ${hold.shelf})`,
    hold.reader,
  );
  hold.others.forEach((other) => messages.notify('please wait', other));
}
