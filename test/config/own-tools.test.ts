import { expect, test } from '@jest/globals';
import { loadConfig } from '../../sidecar/config/load.ts';

const TOOL = {
  name: 'run_migration',
  description: 'Apply one migration.',
  command: ['npm', 'run', 'migrate'],
};

async function problemsOf(own: unknown): Promise<string[]> {
  const flags = { 'tools.own': { flag: '--set tools.own', value: own } };
  const outcome = await loadConfig({ env: {}, userDir: '/nowhere', flags });
  return outcome.ok ? [] : outcome.problems;
}

test('an own tool needs little', async () => {
  const flags = { 'tools.own': { flag: '--set', value: [TOOL] } };
  const outcome = await loadConfig({ env: {}, userDir: '/nowhere', flags });
  if (!outcome.ok) throw new Error(outcome.problems.join());
  expect(outcome.value.config.tools.own).toEqual([
    {
      ...TOOL,
      parameters: { type: 'object', properties: {}, required: [] },
      effects: 'any',
      timeoutMs: 60_000,
      network: false,
    },
  ]);
});

test.each([
  ['a name with capitals', { ...TOOL, name: 'RunMigration' }, 'write a name of small letters'],
  ['a shell command', { ...TOOL, command: 'npm run migrate' }, 'write an array'],
  ['a program that a parameter names', { ...TOOL, command: ['{program}'] }, 'begin with the program itself'],
  ['a program that looks like an option', { ...TOOL, command: ['-c'] }, 'begin with the program itself'],
  [
    'a parameter that the command does not use',
    { ...TOOL, parameters: { properties: { name: { type: 'string' } } } },
    'put {name} where that parameter belongs',
  ],
  [
    'a required parameter that there is not',
    { ...TOOL, parameters: { required: ['name'] } },
    'name is not among the properties',
  ],
  ['a pattern', { ...TOOL, parameters: { properties: { a: { pattern: '(a+)+$' } } } }, 'unknown pattern'],
  ['no description', { ...TOOL, description: '' }, 'write a value'],
])('%s is refused with what to write', async (_what, tool, advice) => {
  const problems = await problemsOf([tool]);
  expect(problems.join('\n')).toContain(advice);
  expect(problems.join('\n')).toContain('tools.own');
});
