const isText = (value) => typeof value === 'string' && value !== '';
const isWhole = (from, to) => (value) => Number.isInteger(value) && value >= from && value <= to;

/** What each setting must be: a test, and the words for it in messages. */
export const SCHEMA = {
  port: { test: isWhole(1, 65535), words: 'a whole number from 1 to 65535' },
  folder: { test: isText, words: 'a text' },
  keepDays: { test: isWhole(1, 365), words: 'a whole number from 1 to 365' },
  maxUploadMb: { test: (value) => value !== undefined, words: 'given' },
  allowTypes: { test: (value) => Array.isArray(value) && value.every(isText), words: 'a list of texts' },
};

/** Throws with all that is wrong with the settings. */
export function checkSettings(settings) {
  const problems = [];
  for (const name of Object.keys(settings)) {
    if (!(name in SCHEMA)) problems.push(`${name} is not known`);
  }
  for (const [name, { test, words }] of Object.entries(SCHEMA)) {
    if (!test(settings[name])) problems.push(`${name} must be ${words}`);
  }
  if (problems.length > 0) throw new Error(problems.join('; '));
  return settings;
}
