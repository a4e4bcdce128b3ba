import { de } from './de.js';
import { en } from './en.js';
import { pl } from './pl.js';

export const LOCALES = { de, en, pl };

/** The language to use for a wish such as "de-AT": English when it is not there. */
export function chooseLanguage(wish = '') {
  const [language] = wish.toLowerCase().split('-');
  return Object.hasOwn(LOCALES, language) ? language : 'en';
}
