import { describe, expect, test } from '@jest/globals';
import { chooseEndpoint } from '../../../sidecar/execution/models/endpoint.ts';

describe('the choice of the model server', () => {
  test('a hub may pick another port of the configured host', () => {
    expect(chooseEndpoint('localhost:5000', { url: 'http://127.0.0.1:11434', allowedHosts: [] })).toEqual({
      url: 'http://localhost:5000',
    });
  });

  test('a hub may pick an allowed host and no other', () => {
    const policy = { url: 'http://127.0.0.1:11434', allowedHosts: ['gpu:11434'] };
    expect(chooseEndpoint('gpu:11434', policy)).toEqual({ url: 'http://gpu:11434' });
    const refused = chooseEndpoint('evil:11434', policy);
    expect(refused.url).toBe('http://127.0.0.1:11434');
    expect(refused.refused).toContain('ollama.allowedHosts');
  });

  test('what is no address falls back and says so', () => {
    expect(chooseEndpoint('file:///etc', { url: ':1', allowedHosts: [] }).refused).toBeDefined();
  });
});
