import { describe, expect, test } from '@jest/globals';
import { buildSystemPrompt } from '../../sidecar/prompt/system-prompt.ts';
import { buildTaskMessage } from '../../sidecar/prompt/task-message.ts';
import { compact } from '../../sidecar/prompt/compaction.ts';
import { createTokenEstimator } from '../../sidecar/prompt/token-estimate.ts';
import { answerMessage, nudgeMessage, resultMessages } from '../../sidecar/prompt/loop-messages.ts';
import { createToolRegistry } from '../../sidecar/tools/registry.ts';
import type { ChatMessage } from '../../sidecar/model/chat.ts';

const bytes = (value: unknown) =>
  Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
const opening = (description: string, repo: string): ChatMessage[] => [
  { role: 'system', content: buildSystemPrompt({ mode: 'native' }) },
  { role: 'user', content: buildTaskMessage({ description, repo }, { platform: 'linux' }) },
];

describe('what the server keeps in its prefix cache', () => {
  test('system prompt and tool definitions stay under 4 500 bytes', () => {
    const prompt = bytes(buildSystemPrompt({ mode: 'native' }));
    const tools = bytes(createToolRegistry().definitions());
    expect({ prompt, tools, fits: prompt + tools < 4_500 }).toEqual({ prompt, tools, fits: true });
  });

  test('two tasks in different workspaces share system prompt and tools entirely', () => {
    const [first, second] = [opening('a', '/repos/one'), opening('b', '/repos/two')];
    expect(first[0]).toEqual(second[0]);
    expect(first[1]).not.toEqual(second[1]);
    expect(JSON.stringify(createToolRegistry().definitions())).toBe(
      JSON.stringify(createToolRegistry().definitions()),
    );
  });

  test('the messages of a request are a prefix of those of the next, compaction apart', () => {
    let messages = opening('Fix add()', '/repos/one');
    const sent: string[] = [];
    for (let round = 0; round < 10; round++) {
      const outcome = compact(messages, { windowTokens: 32_768, estimator: createTokenEstimator() });
      messages = outcome.ok ? outcome.value.messages : [];
      const request = JSON.stringify(messages).slice(0, -1);
      expect(request.startsWith(sent.at(-1) ?? '')).toBe(true);
      sent.push(request);
      const calls = [{ name: 'read_file', arguments: { file_path: `${round}` } }];
      messages.push(answerMessage({ mode: 'native', content: '', calls }));
      messages.push(...resultMessages([{ toolName: 'read_file', output: 'x', isError: false }], 'native'));
      if (round === 4) messages.push(nudgeMessage());
    }
  });
});
