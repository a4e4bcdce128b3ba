import { LEVELS, isShown } from './levels.js';

/** A logger with a function for each level. `write` gets finished lines. */
export function createLogger({ level = 'info', write = console.log, name } = {}) {
  const logger = {};
  for (const own of LEVELS) {
    logger[own] = (text, fields = {}) => {
      if (isShown(own, level)) write(line(own, name, text, fields));
    };
  }
  logger.child = (childName) => createLogger({ level, write, name: name ? `${name}.${childName}` : childName });
  return logger;
}

function line(level, name, text, fields) {
  const tail = Object.entries(fields).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`).join('');
  return `${level.toUpperCase()} ${name ? `[${name}] ` : ''}${text}${tail}`;
}
