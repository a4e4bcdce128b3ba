import { describe, expect, test } from '@jest/globals';
import { createToolRegistry } from '../../sidecar/tools/registry.ts';
import { quotedTexts } from './quoted.cases.ts';
import { names } from './reading.ts';

const tools = createToolRegistry();

describe('a call that is only quoted is not run', () => {
  describe.each(Object.entries(quotedTexts))('%s', (_kind, texts) => {
    test.each(texts)('%j', (text) => {
      expect(names(text, { tools })).toBe('final_answer');
      expect(names(text)).toBe('final_answer');
    });
  });
});

describe('a call that is made is run', () => {
  const read = '{"name": "read_file", "arguments": {"file_path": "src/a.ts"}}';
  test.each([
    `I will now read the file: ${read}`,
    `The test failed, so I have to look.\n\n${read}`,
    `Let me look at the file...\n\n${read}`,
    `Now I call read_file:\n\`\`\`json\n${read}\n\`\`\``,
    `\`\`\`json\n${read}\n\`\`\``,
    `${read}\n\nI will wait for the result.`,
    `\`\`\`json\n${read}\n\`\`\`\n\nI will wait for the result.`,
    `I looked at \`b.ts\` and it is right. Next:\n<tool_call>${read}</tool_call>`,
    `To fix it, let me first look:\n<tool_call>${read}</tool_call>`,
    `1. I will read the file.\n${read}`,
  ])('%j', (text) => expect(names(text, { tools })).toEqual(['read_file']));
});
