/** A tool is declared in one file: no other file of the program decides anything by a tool's name. */
import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { createToolRegistry } from '../../sidecar/tools/registry.ts';
import { standardTools } from '../../sidecar/tools/standard-tools.ts';

/** Sentences for the model, whose bytes must stay as they are, and examples of answers in them. */
const TEXTS_FOR_MODELS = [
  'sidecar/prompt/system-prompt.ts',
  'sidecar/prompt/loop-messages.ts',
  'sidecar/prompt/stage-messages.ts',
  'sidecar/model/structured.ts',
  'sidecar/verification/correction.ts',
];
/** Here these words are methods of the environment, kinds of tasks and of processes, not names of tools. */
const OTHER_MEANINGS = new Set(['shell', 'grep', 'glob']);

const withoutComments = (code: string): string =>
  code.replaceAll(/\/\*[\s\S]*?\*\//gu, '').replaceAll(/(?:^|\s)\/\/.*$/gmu, '');

test('no other file names a tool in a string', () => {
  const names = standardTools.map(({ name }) => name).filter((name) => !OTHER_MEANINGS.has(name));
  const declarations = new Set(
    standardTools.map(({ name }) => `sidecar/tools/${name.replaceAll('_', '-')}.ts`),
  );
  const naming = readdirSync('sidecar', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `sidecar/${path}`)
    .filter((path) => !declarations.has(path) && !TEXTS_FOR_MODELS.includes(path))
    .flatMap((path) => {
      const code = withoutComments(readFileSync(path, 'utf8'));
      return names
        .filter((name) => new RegExp(`\\b${name}\\b`, 'u').test(code))
        .map((name) => `${path}: ${name}`);
    });
  expect(naming).toEqual([]);
});

test('a tool that is registered brings its own aliases and limits', () => {
  const [tool] = standardTools;
  if (!tool) throw new Error('there are no tools');
  const registry = createToolRegistry([{ ...tool, name: 'look_up', aliases: ['consult'] }]);
  expect(registry.resolveName('Consult')).toBe('look_up');
  expect(registry.resolveName('cat')).toBe(tool.name);
});
