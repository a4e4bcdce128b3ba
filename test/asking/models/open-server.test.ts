import { describe, expect, test } from '@jest/globals';
import { chooseServer } from '../../../sidecar/asking/models/open-server.ts';

describe('the choice of the model server', () => {
  test('a hub may pick the configured server by any of its loopback names', () => {
    expect(chooseServer('localhost:11434', { url: 'http://127.0.0.1:11434', allowedHosts: [] })).toEqual({
      url: 'http://127.0.0.1:11434',
    });
  });

  test.each(['localhost:5000', '127.0.0.1:11435', '[::1]:80', 'gpu:22', 'gpu'])(
    'another port than the configured one is refused: %s',
    (selected) => {
      const policy = { url: 'http://127.0.0.1:11434', allowedHosts: ['gpu:8080', 'not a host'] };
      expect(chooseServer(selected, policy)).toMatchObject({
        url: 'http://127.0.0.1:11434',
        refused: expect.stringContaining('ollama.allowedHosts'),
      });
    },
  );

  test("an allowed host without a port means Ollama's own", () => {
    const policy = { url: 'http://127.0.0.1:11434', allowedHosts: ['gpu'] };
    expect(chooseServer('gpu:11434', policy).refused).toBeUndefined();
    expect(chooseServer('gpu:22', policy).refused).toBeDefined();
  });

  test('a hub may pick an allowed host and no other', () => {
    const policy = { url: 'http://127.0.0.1:11434', allowedHosts: ['gpu:11434'] };
    expect(chooseServer('gpu:11434', policy)).toEqual({ url: 'http://gpu:11434' });
    const refused = chooseServer('evil:11434', policy);
    expect(refused.url).toBe('http://127.0.0.1:11434');
    expect(refused.refused).toContain('ollama.allowedHosts');
  });

  test('what is no address falls back and says so', () => {
    expect(chooseServer('file:///etc', { url: ':1', allowedHosts: [] }).refused).toBeDefined();
  });
});
