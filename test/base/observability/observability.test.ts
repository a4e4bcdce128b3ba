import { describe, expect, test } from '@jest/globals';
import { createLogger } from '../../../sidecar/base/observability/logger.ts';
import { createSecretMasker } from '../../../sidecar/base/observability/secrets.ts';
import * as fc from '../../support/properties.ts';

/** Log lines as a terminal gets them. */
test('a terminal obeys nothing that a log line quotes', async () => {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  const logger = await createLogger({ level: 'info', masker: createSecretMasker(), isPretty: true, write });
  const hostile = 'a\u009B31m\u202Eb\u001B]0;title\u0007';
  logger.warn({ reason: hostile, deep: { text: hostile }, err: new Error(hostile) }, hostile);
  const text = lines.join('');
  expect(text).toContain('a‹U+009B›31m‹U+202E›b‹U+001B›]0;title‹U+0007›');
  for (const hidden of ['\u009B', '\u202E', '\u0007', '\u001B]']) expect(text).not.toContain(hidden);
});

const secret = 'hunter2-Correct+Horse/Battery';

describe('masking secrets', () => {
  const masker = createSecretMasker([secret], {
    MY_API_KEY: 'env-secret-value',
    PATH: '/usr/bin-long-enough',
  });

  test('the value itself, URL-encoded and in base64', () => {
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
      expect(masker.mask(`before ${form} after`)).not.toContain(form.slice(4, 16));
    }
  });

  test('base64 of a longer text that holds it, at every alignment', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }), (before, after) => {
        const encoded = Buffer.from(before + secret + after).toString('base64');
        expect(masker.mask(encoded)).toContain('****');
      }),
      { numRuns: 200 },
    );
  });

  test('variables whose names say that they are secret; others stay', () => {
    expect(masker.mask('env-secret-value /usr/bin-long-enough')).toBe('**** /usr/bin-long-enough');
  });

  test.each(['PGPASSWORD', 'MYSQL_PWD', 'NPMTOKEN', 'GOOGLE_APIKEY'])(
    'a variable that is common without a line before its last word: %s',
    (name) => {
      expect(createSecretMasker([], { [name]: 'of-a-database' }).mask('of-a-database')).toBe('****');
      expect(createSecretMasker([], { MONKEY: 'of-a-jungle' }).mask('of-a-jungle')).toBe('of-a-jungle');
    },
  );

  test('folders that every shell exports, and paths of this machine under any name', () => {
    const folder = process.cwd();
    const env = {
      PWD: '/gone/with/it',
      OLDPWD: '/gone/too',
      DB_PWD: folder,
      GOOGLE_CREDENTIALS: `${folder}/package.json`,
    };
    const text = Object.values(env).join(' ');
    expect(createSecretMasker([], env).mask(text)).toBe(text);
  });

  test('tokens that say by their form what they are', () => {
    expect(masker.mask(`token ${['gh', 'p_'].join('')}${'a'.repeat(36)}`)).toBe('token ****');
  });

  test('every string in a value, the value itself unchanged', () => {
    const value = { a: [secret, 1], b: { c: null, d: `x${secret}` } };
    expect(masker.maskDeep(value)).toEqual({ a: ['****', 1], b: { c: null, d: 'x****' } });
    expect(value.a[0]).toBe(secret);
  });

  test('a secret with characters that JSON escapes, in a text that is JSON', () => {
    const quoted = 'pass"word\\of\tmine';
    const text = createSecretMasker([quoted], {}).mask(JSON.stringify({ a: [quoted] }));
    expect(JSON.parse(text)).toEqual({ a: ['****'] });
  });

  test('log lines, whatever field it stands in', async () => {
    const lines: string[] = [];
    const logger = await createLogger({
      level: 'info',
      masker,
      isPretty: false,
      write: (line) => lines.push(line),
    });
    logger
      .child({ url: `wss://u:${encodeURIComponent(secret)}@h` })
      .info({ deep: { secret } }, `using ${secret}`);
    expect(lines.join('')).not.toContain('Battery');
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'info', msg: 'using ****' });
  });
});
