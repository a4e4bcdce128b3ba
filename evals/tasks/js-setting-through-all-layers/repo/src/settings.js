import { readFileSync } from 'node:fs';
import { fromEnvironment } from './environment.js';
import { checkSettings } from './schema.js';

/** The settings: defaults, then the environment, then what is given. */
export function loadSettings({ env = process.env, given = {} } = {}) {
  const defaults = JSON.parse(readFileSync(new URL('../config/default.json', import.meta.url), 'utf8'));
  return checkSettings({ ...defaults, ...fromEnvironment(env), ...given });
}
