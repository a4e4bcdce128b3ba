/** Renders an essence as text for the model and for users. Pure; the first failure is always shown. */
import { isNotRun } from './failure-text.ts';
import { fitLines, shorten } from '../../base/values/shortening.ts';
import type { FailedTest, OutputError, FilePlace, OutputReading } from './types.ts';

interface RenderLimits {
  maxChars: number;
  /** Number of entries that were found but are not part of the data. */
  omitted: { failed: number; errors: number };
}

/** Minimum length of an entry that is cut so that it fits. */
const MIN_ENTRY_CHARS = 160;
/** Number of characters reserved for the headline and for the note about omitted entries. */
const HEADLINE_CHARS = 120;
const MAX_NAME_CHARS = 200;

export function renderEssence(
  reading: OutputReading & { runner: string },
  { maxChars, omitted }: RenderLimits,
): string {
  const headline = renderHeadline(reading, omitted);
  // Errors that prevent tests from running come first, because they cause the other failures.
  const failed = reading.failed.filter((test) => !(reading.errors.length > 0 && isNotRun(test)));
  const isOther = reading.runner === 'other';
  const entries = isOther
    ? reading.errors.map(({ message }) => message)
    : [...reading.errors.map(renderError), ...failed.map(renderTest)];
  const shown = selectFitting(entries, maxChars - HEADLINE_CHARS);
  const omittedCount = entries.length - shown.length + (isOther ? 0 : omitted.failed + omitted.errors);
  const names =
    omittedCount > 0 && !isOther
      ? formatOmittedNote(
          failed.slice(-(entries.length - shown.length) || failed.length),
          omittedCount,
          maxChars,
        )
      : '';
  return [headline, ...shown, names].filter(Boolean).join('\n');
}

function renderHeadline(
  { runner, passed, failed, errors }: OutputReading & { runner: string },
  omitted: RenderLimits['omitted'],
): string {
  if (runner === 'other') return '';
  const failing = failed.length + omitted.failed;
  const counts = [
    ...(failing > 0 || passed !== undefined ? [`${failing} failed`] : []),
    ...(passed === undefined ? [] : [`${passed} passed`]),
    ...(errors.length > 0
      ? [`${errors.length + omitted.errors} ${errors.length === 1 ? 'error' : 'errors'}`]
      : []),
  ];
  return `${runner}: ${counts.length > 0 ? counts.join(', ') : 'no failure found'}`;
}

const formatPlace = ({ path, line }: FilePlace): string => `${path}:${line}`;

function renderError({ message, place }: OutputError): string {
  const [first = '', ...otherLines] = message.split('\n');
  return [
    `ERROR ${place ? `${formatPlace(place)}: ` : ''}${first}`,
    ...otherLines.map((line) => `  ${line}`),
  ].join('\n');
}

function renderTest({ name, place, expected, actual, message, frame }: FailedTest): string {
  const lines = [`FAIL ${shorten(name, MAX_NAME_CHARS)}${place ? ` (${formatPlace(place)})` : ''}`];
  if (message !== undefined) lines.push(...message.split('\n').map((line) => `  ${line}`));
  if (expected !== undefined && actual !== undefined) lines.push(...formatValues(expected, actual));
  if (frame && !(place && formatPlace(place) === formatPlace(frame)))
    lines.push(`  at ${formatPlace(frame)}`);
  return lines.join('\n');
}

const formatValues = (expected: string, actual: string): string[] =>
  expected.length + actual.length <= 100 && !/\n/.test(expected + actual)
    ? [`  expected ${expected}, got ${actual}`]
    : [`  expected: ${expected.replaceAll('\n', '\n    ')}`, `  got: ${actual.replaceAll('\n', '\n    ')}`];

/** Returns the first entries that fit. If even the first entry does not fit, it is cut instead of left out. */
function selectFitting(entries: readonly string[], maxChars: number): string[] {
  const shown: string[] = [];
  let remainingChars = Math.max(maxChars, MIN_ENTRY_CHARS);
  for (const entry of entries) {
    const isFitting = entry.length + 1 <= remainingChars;
    if (!isFitting && shown.length > 0 && remainingChars < MIN_ENTRY_CHARS * 2) break;
    const text = isFitting ? entry : `${entry.slice(0, remainingChars - 2)}…`;
    shown.push(text);
    remainingChars -= text.length + 1;
    if (!isFitting) break;
  }
  return shown;
}

/** Returns the note about omitted entries, with as many names of failing tests as fit. */
function formatOmittedNote(tests: readonly FailedTest[], count: number, maxChars: number): string {
  const maxNameChars = Math.min(HEADLINE_CHARS, maxChars / 4) - 30;
  const names = fitLines(
    tests.map(({ name }) => name),
    maxNameChars,
    (name) => name.length + 2,
  );
  return `and ${count} more${names.length > 0 ? `: ${names.join(', ')}${names.length < count ? ', …' : ''}` : ''}`;
}
