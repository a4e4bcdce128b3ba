import { LOCALES, chooseLanguage } from './locales/index.js';
import { pluralForm } from './plural.js';

/** A function that gives the text of a key in a language, with its {values} put in. */
export function translator(wish) {
  const language = chooseLanguage(wish);
  return (key, values = {}) => {
    const entry = LOCALES[language][key];
    if (entry === undefined) throw new Error(`no text for ${key} in ${language}`);
    const text = typeof entry === 'string' ? entry : entry[pluralForm(values.count, language)];
    return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  };
}
