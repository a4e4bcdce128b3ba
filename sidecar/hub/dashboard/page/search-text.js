/* The syntax of the search field: words, and `model:`, `repo:`, `label:`, `worker:` with a value. Pure. */
/** @import { TaskSummary } from '../page-types.ts' */
/** @typedef {Partial<Record<'q' | 'model' | 'repo' | 'label' | 'worker', string>>} Search */

/** @type {readonly string[]} */
const searchKeys = ['model', 'repo', 'label', 'worker'];

/**
 * Parses `model:qwen3:8b "two words"` to `{ q, model, repo, label, worker }` without missing fields.
 * @param {string} text @returns {Search}
 */
export function parseSearch(text) {
  /** @type {Record<string, string>} */
  const filters = {};
  const words = [];
  for (const word of text.slice(0, 1_000).match(/(?:[a-z]{1,10}:)?"[^"]*"|\S+/g) ?? []) {
    const colon = word.indexOf(':');
    const key = word.slice(0, Math.max(0, colon));
    const value = removeQuotes(word.slice(colon + 1));
    if (searchKeys.includes(key) && value !== '') filters[key] = value;
    else words.push(removeQuotes(word));
  }
  const q = words.join(' ').trim();
  return { ...filters, ...(q && { q }) };
}

/** @param {string} text */
const removeQuotes = (text) => text.replaceAll('"', '');

/**
 * Formats a term such as `model:"a b"`. A value cannot contain a quotation mark.
 * @param {string} key @param {string} value
 */
function formatTerm(key, value) {
  const plain = removeQuotes(value);
  return `${key}:${/\s/.test(plain) ? `"${plain}"` : plain}`;
}

/**
 * Returns the address of the task list with these filters.
 * @param {{ status?: string | undefined, range?: string, search?: string }} place
 */
export function formatListHref({ status = '', range = '', search = '' }) {
  const query = new URLSearchParams({
    ...(status && { status }),
    ...(range && { range }),
    ...(search && { q: search }),
  });
  return query.size === 0 ? '#/' : `#/?${query}`;
}

/** @param {string} key @param {string} value @param {string} [status] */
export const formatFilterHref = (key, value, status) =>
  formatListHref({ status, search: formatTerm(key, value) });

/** Returns whether a task of a live event belongs in the shown list. @param {TaskSummary} task @param {Search} search */
export function matchesSearch(task, { q = '', model, repo, label, worker }) {
  /** @param {string | null} text @param {string} part */
  const includesText = (text, part) => (text ?? '').toLowerCase().includes(part.toLowerCase());
  return (
    (model === undefined || includesText(task.model, model)) &&
    (repo === undefined || includesText(task.repo, repo)) &&
    (label === undefined || task.labels.some((one) => one.toLowerCase() === label.toLowerCase())) &&
    (worker === undefined || task.worker_id === worker) &&
    includesText(`${task.title} ${task.task_id} ${task.repo ?? ''}`, q)
  );
}
