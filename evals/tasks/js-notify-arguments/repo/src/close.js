import { notify, notifyAll } from './notify.js';

export function closeEarly(readers, librarian) {
  notifyAll('we close at four', readers);
  [librarian].forEach(notify.bind(null, 'lock the door'));
}
