import { goTo, next, previous } from './gallery.js';

const KEYS = {
  ArrowRight: next,
  ArrowLeft: previous,
  Home: (gallery) => goTo(gallery, 0),
  End: (gallery) => goTo(gallery, gallery.images.length - 1),
};

/** Does what the key stands for; false for a key that means nothing here. */
export function onKey(gallery, key) {
  const action = KEYS[key];
  if (!action) return false;
  action(gallery);
  return true;
}
