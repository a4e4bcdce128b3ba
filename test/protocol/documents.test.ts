import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { encodeWorkerFrame } from '../../sidecar/protocol/encode-frame.ts';
import { protocolJsonSchema, protocolMarkdown } from '../../scripts/protocol-reference.ts';

describe('the documents of the protocol', () => {
  test.each([
    ['docs/PROTOCOL.md', protocolMarkdown],
    ['docs/protocol.schema.json', () => JSON.stringify(protocolJsonSchema(), null, 2)],
  ])('%s is what the schemas say (node scripts/docs.mjs writes it)', async (path, generate) => {
    const wanted = await format(generate(), { ...(await resolveConfig(path)), filepath: path });
    expect(readFileSync(path, 'utf8')).toBe(wanted);
  });

  test('the JSON Schema accepts what the worker writes and refuses what the hub would', () => {
    const valid = new Ajv2020({ strict: false }).compile(protocolJsonSchema());
    const written = (frame: Parameters<typeof encodeWorkerFrame>[0]) =>
      JSON.parse(encodeWorkerFrame(frame).text);
    expect(valid(written({ type: 'ping' }))).toBe(true);
    expect(
      valid(written({ type: 'task_failed', task_id: 't', generation: 2.2, error: 'x'.repeat(9_000) })),
    ).toBe(true);
    expect(valid({ type: 'task_assign', task_id: 't', repo: null, metadata: null })).toBe(true);
    expect(valid({ type: 'task_failed', task_id: 't', generation: 'two' })).toBe(false);
    expect(valid({ type: 'task_assign' })).toBe(false);
  });
});
