/** The examples of the pages for programs do what is said of them. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { execa } from 'execa';
import { submissionSchema } from '../../sidecar/hub/queue/submission.ts';
import { testHub } from '../hub/hub-fixture.ts';
import { sampleRepository } from '../support/sample-repository.ts';
import { call, say, testModel } from '../support/scripted-model.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();
const block = async (page: string, language: string): Promise<string> =>
  new RegExp(`\`\`\`${language}\\n(.+?)\`\`\``, 'su').exec(await readFile(page, 'utf8'))?.[1] ?? '';

test('the task of the page on the HTTP API is one, each of its fields is known, and the hub takes it', async () => {
  const task = JSON.parse(await block('docs/API.md', 'json')) as Record<string, unknown>;
  expect(Object.keys(task).filter((key) => !(key in submissionSchema.shape))).toEqual([]);
  const hub = await testHub();
  expect(await hub.call('POST', '/api/tasks', task)).toMatchObject({
    status: 201,
    body: { status: 'queued', priority: 5 },
  });
});

test('the program of the page on the library compiles with the types of all its packages, and does a task', async () => {
  const dir = folder();
  const repo = await sampleRepository(dir, {
    'src/sum.js': 'export const sum = (a, b) => a - b;\n',
    'sum.test.js':
      "import test from 'node:test';\nimport assert from 'node:assert';\nimport { sum } from './src/sum.js';\ntest('adds', () => assert.equal(sum(2, 3), 5));\n",
    'package.json': '{"type":"module"}\n',
  });
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2023', types: ['node'] };
  await writeFile(join(dir, 'program.ts'), await block('docs/LIBRARY.md', 'ts'));
  await writeFile(join(dir, 'package.json'), '{"type":"module"}');
  await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  mkdirSync(join(dir, 'node_modules'));
  symlinkSync(resolve('.'), join(dir, 'node_modules/ollama-sidecar'));
  symlinkSync(resolve('node_modules/@types'), join(dir, 'node_modules/@types'));
  const compiled = await execa(resolve('node_modules/.bin/tsc'), ['-p', dir], { reject: false });
  expect(compiled.stdout).toBe('');
  const edit = { path: 'src/sum.js', old_string: 'a - b', new_string: 'a + b' };
  const model = await testModel({
    models: [{ name: 'm', capabilities: ['completion', 'tools'] }],
    turns: [call('read_file', { path: 'src/sum.js' }), call('edit_file', edit), say('Done.')],
  });
  const program = join(dir, 'program.js');
  await writeFile(program, (await readFile(program, 'utf8')).replace('http://127.0.0.1:11434', model.url));
  const { stdout } = await execa(process.execPath, [program, repo, 'm']);
  expect(stdout).toBe('success verified 1');
}, 120_000);
