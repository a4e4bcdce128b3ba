import { notify, notifyAll } from './notify.js';

export function closeEarly(readers, librarian) {
  notifyAll('we close at four', readers);
  notify(librarian, 'lock the door');
}
