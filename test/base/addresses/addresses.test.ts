import { describe, expect, test } from '@jest/globals';
import { isOllamaUrl, normalizeOllamaUrl } from '../../../sidecar/base/addresses/ollama-url.ts';
import { removeCredentials } from '../../../sidecar/base/addresses/credentials.ts';

describe('the address of the model server', () => {
  test.each([
    ['127.0.0.1:11434', 'http://127.0.0.1:11434'],
    ['gpu-box', 'http://gpu-box:11434'],
    [':9000', 'http://127.0.0.1:9000'],
    ['0.0.0.0', 'http://127.0.0.1:11434'],
    ['0.0.0.0:80', 'http://127.0.0.1'],
    ['http://gpu:80', 'http://gpu'],
    ['https://gpu.example/ollama/', 'https://gpu.example/ollama'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['::1', 'http://[::1]:11434'],
    [' gpu ', 'http://gpu:11434'],
    ['"gpu:8080"', 'http://gpu:8080'],
    ["'http://gpu'", 'http://gpu'],
    ['http://gpu', 'http://gpu'],
    ['https://gpu', 'https://gpu'],
    ['http://me:p%40ss@gpu:8080/o/', 'http://me:p%40ss@gpu:8080/o'],
    ['me:pass@gpu', 'http://me:pass@gpu:11434'],
  ])('%s', (value, expected) => {
    expect(normalizeOllamaUrl(value)).toBe(expected);
    expect(isOllamaUrl(value)).toBe(true);
  });

  test.each(['', ' ', ':::', 'htp://x y', 'ftp://gpu', 'file:///etc', 'http://', 'gpu:70000', 'two words'])(
    '%j is none',
    (value) => {
      expect(isOllamaUrl(value)).toBe(false);
      const message = expect.stringMatching(/^ollama\.url: ".*": write an address such as http:/u);
      expect(() => normalizeOllamaUrl(value)).toThrow(
        expect.objectContaining({ code: 'config_invalid', message }),
      );
    },
  );
});

/** Addresses as they may be shown. */
test('an address is shown without user and password, whatever characters those have', () => {
  const shown = (address: string) => removeCredentials(address);
  expect(shown('https://me:token@host/a.git')).toBe('https://host/a.git');
  expect(shown('https://me:p@ss@host/a.git')).toBe('https://host/a.git');
  expect(shown('ssh://git@host:22/a.git')).toBe('ssh://host:22/a.git');
  for (const plain of ['/srv/a@b.git', 'https://host/a@b', 'https://host?to=a@b', 'git@host:a.git']) {
    expect(shown(plain)).toBe(plain);
  }
});
