const PREFIX = 'UPLOADER_';

const NUMBERS = new Set(['port', 'keepDays', 'maxUploadMb']);
const LISTS = new Set(['allowTypes']);
const NAMES = {
  PORT: 'port',
  FOLDER: 'folder',
  KEEP_DAYS: 'keepDays',
  MAX_UPLOAD_MB: 'maxUploadMb',
  ALLOW_TYPES: 'allowTypes',
};

/** The settings that the environment gives. */
export function fromEnvironment(env) {
  const settings = {};
  for (const [key, text] of Object.entries(env)) {
    if (!key.startsWith(PREFIX)) continue;
    const name = NAMES[key.slice(PREFIX.length)];
    if (!name) throw new Error(`${key} is not known`);
    settings[name] = read(name, text);
  }
  return settings;
}

function read(name, text) {
  if (NUMBERS.has(name)) return text.trim() === '' ? NaN : Number(text);
  if (LISTS.has(name)) return text.split(',').map((item) => item.trim());
  return text;
}
