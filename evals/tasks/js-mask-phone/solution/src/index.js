export { maskEmail, maskName, maskPhone } from './mask.js';
export { writeLine } from './log.js';
