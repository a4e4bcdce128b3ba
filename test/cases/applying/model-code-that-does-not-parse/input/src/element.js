import { escapeAttribute, escapeHtml } from './escape.js';

const EMPTY = new Set(['br', 'hr', 'img', 'input']);

/**
 * An element as text. Children are texts, which are escaped, or { html } from this function.
 * Attributes that are false, null or undefined are left out, true ones have no value.
 */
export function element(name, attributes = {}, ...children) {
  const given = Object.entries(attributes)
    .filter(([, value]) => value !== false && value !== null && value !== undefined)
    .map(([key, value]) => (value === true ? ` ${key}` : ` ${key}="${escapeAttribute(value)}"`))
    .join('');
  if (EMPTY.has(name)) return { html: `<${name}${given}>` };
  const inner = children.map((child) => (child?.html === undefined ? escapeHtml(child) : child.html)).join('');
  return { html: `<${name}${given}>${inner}</${name}>` };
}
