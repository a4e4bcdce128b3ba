import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { serverFindings } from '../../sidecar/cli/check-servers.ts';
import { configSchema } from '../../sidecar/config/schema.ts';

const program = fileURLToPath(new URL('../tools/mcp/server-program.mjs', import.meta.url));
const findings = (mcp: object) =>
  serverFindings(configSchema.parse({ sandbox: { mode: 'off' }, tools: { mcp } }));

test('doctor says which servers answer, what a model gets of them, and what is wrong', async () => {
  const found = await findings({
    good: { command: 'node', args: [program], only: ['echo'] },
    half: { command: 'node', args: [program], only: ['echo', 'nothing'] },
    dead: { command: 'node', args: [program, 'dies'] },
  });
  expect(found).toEqual([
    { what: 'mcp good', status: 'ok', found: '13 tools, a model gets good_echo' },
    {
      what: 'mcp half',
      status: 'warning',
      found: '13 tools, a model gets half_echo',
      advice: expect.stringContaining('has no tool nothing'),
    },
    {
      what: 'mcp dead',
      status: 'problem',
      found: 'does not answer',
      advice: 'The MCP server dead ended with exit code 2: no key is set',
    },
  ]);
  expect(await findings({})).toEqual([]);
});
