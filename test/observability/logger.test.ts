/** Log lines as a terminal gets them. */
import { expect, test } from '@jest/globals';
import { createLogger } from '../../sidecar/observability/logger.ts';
import { createSecretMasker } from '../../sidecar/observability/secrets.ts';

test('a terminal obeys nothing that a log line quotes', async () => {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  const logger = await createLogger({ level: 'info', masker: createSecretMasker(), pretty: true, write });
  const hostile = 'a\u009B31m\u202Eb\u001B]0;title\u0007';
  logger.warn({ reason: hostile, deep: { text: hostile }, err: new Error(hostile) }, hostile);
  const text = lines.join('');
  expect(text).toContain('a‹U+009B›31m‹U+202E›b‹U+001B›]0;title‹U+0007›');
  for (const hidden of ['\u009B', '\u202E', '\u0007', '\u001B]']) expect(text).not.toContain(hidden);
});
