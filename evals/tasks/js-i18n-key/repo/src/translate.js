import { readFileSync } from 'node:fs';

export function translator(language) {
  const texts = JSON.parse(readFileSync(new URL(`../locales/${language}.json`, import.meta.url), 'utf8'));
  return (key) => {
    if (!Object.hasOwn(texts, key)) throw new Error(`no text for ${key}`);
    return texts[key];
  };
}
