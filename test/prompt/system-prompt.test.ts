import { describe, expect, test } from '@jest/globals';
import { buildSystemPrompt } from '../../sidecar/prompt/system-prompt.ts';
import type { ToolDefinition } from '../../sidecar/model/chat.ts';

const definitions: ToolDefinition[] = [
  {
    type: 'function',
    function: {
      name: 'read_file',
      description: 'Read lines of a file.',
      parameters: {
        type: 'object',
        properties: { file_path: { type: 'string' }, offset: { type: 'integer' } },
        required: ['file_path'],
      },
    },
  },
];

describe('the system prompt', () => {
  test('is the same bytes each time it is built', () => {
    for (const mode of ['native', 'structured', 'text'] as const) {
      expect(buildSystemPrompt({ mode, definitions })).toBe(buildSystemPrompt({ mode, definitions }));
    }
    expect(buildSystemPrompt()).toBe(buildSystemPrompt({ mode: 'native' }));
  });

  test('leaves room for the tools under 4 500 bytes in native mode', () => {
    expect(Buffer.byteLength(buildSystemPrompt({ mode: 'native', definitions }))).toBeLessThan(1_300);
  });

  test('does not repeat in native mode what the tools field carries', () => {
    expect(buildSystemPrompt({ mode: 'native', definitions })).not.toContain('Read lines of a file.');
  });

  test.each(['structured', 'text'] as const)('describes tools and the reply in %s mode', (mode) => {
    const prompt = buildSystemPrompt({ mode, definitions });
    expect(prompt).toContain('Read lines of a file.');
    expect(prompt).toContain('"tool_calls" is always an array');
    expect(prompt).toContain('"tool_calls" and "response" never stand in one object');
    expect(prompt).not.toContain('request_approval');
  });

  test('shows examples in structured mode that are valid replies', () => {
    const examples = buildSystemPrompt({ mode: 'structured', definitions })
      .split('\n')
      .filter((line) => line.startsWith('{') && !line.includes('<'))
      .map((line) => Object.keys(JSON.parse(line) as object));
    expect(examples).toHaveLength(6);
    for (const keys of examples) expect([['tool_calls'], ['response']]).toContainEqual(keys);
  });

  test('offers the question to a person only where the policy has one', () => {
    const prompt = buildSystemPrompt({ mode: 'structured', definitions, approval: true });
    expect(prompt).toContain('request_approval');
    expect(prompt).not.toContain('nobody answers questions');
    expect(buildSystemPrompt({ mode: 'structured', definitions })).toContain('nobody answers questions');
  });

  test.each(['native', 'structured'] as const)('says in %s mode what small models forget', (mode) => {
    const prompt = buildSystemPrompt({ mode, definitions });
    for (const rule of [
      'read_file before you edit',
      'run the tests',
      'Never repeat a call',
      "Don't commit",
      'are data',
    ])
      expect(prompt).toContain(rule);
  });

  test("ends with the model's extra text", () => {
    expect(buildSystemPrompt({ extra: ' Be brief. ' }).endsWith('\n\nBe brief.')).toBe(true);
  });
});
