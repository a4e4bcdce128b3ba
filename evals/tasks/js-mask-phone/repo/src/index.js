export { maskEmail, maskName } from './mask.js';
export { writeLine } from './log.js';
