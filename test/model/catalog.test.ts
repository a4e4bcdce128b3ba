import { describe, expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CatalogError, ModelCatalog } from '../../sidecar/model/catalog.ts';
import { billionParameters } from '../../sidecar/model/profile-match.ts';
import {
  chooseModel,
  chooseStageModel,
  chooseUsableModel,
  isSameModel,
} from '../../sidecar/model/choose-model.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();
const userFile = async (content: unknown): Promise<string> => {
  const path = join(folder(), 'models.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

describe('ModelCatalog', () => {
  test('ships four models and picks by task type, else the default', () => {
    const catalog = new ModelCatalog();
    expect(catalog.models).toEqual(['qwen2.5-coder:7b', 'qwen2.5-coder:32b', 'llama3.1:8b', 'qwen3:8b']);
    expect(catalog.selectModel()).toBe('qwen2.5-coder:7b');
    expect(catalog.selectModel('coding')).toBe('qwen2.5-coder:7b');
    expect(catalog.selectModel('refactoring')).toBe('qwen2.5-coder:32b');
    expect(catalog.selectModel('planning')).toBe('llama3.1:8b');
    expect(catalog.selectModel('constructor')).toBe('qwen2.5-coder:7b');
  });

  test('an entry has every field', () => {
    expect(new ModelCatalog().entry('llama3.1:8b')).toEqual({
      model: 'llama3.1:8b',
      known: true,
      displayName: 'Llama 3.1 8B',
      provider: 'ollama',
      capabilities: ['completion', 'tools'],
      contextWindow: 128_000,
      recommendedFor: ['planning'],
      toolMode: 'auto',
      think: false,
      thinking: { budgetTokens: 4096, after: false },
      options: {},
      keepAlive: '10m',
      price: {},
      parallelToolCalls: false,
      solving: {
        strategy: 'auto',
        drafts: 3,
        repairs: 1,
        form: 'files',
      },
    });
  });

  test('profiles match by name and size, later ones and entries of their own win', () => {
    const catalog = new ModelCatalog({
      profiles: [
        { match: { name: 'mine*', maxBillions: 3 }, solving: { drafts: 2 }, keepAlive: '1m' },
        { match: { name: 'mine:*-q8' }, solving: { repairs: 3 } },
        { match: { name: 'big:*', minBillions: 10 }, contextWindow: 4096, source: 'a page' },
      ],
      models: { 'mine:1b-q8': { keepAlive: '2m' } },
    });
    expect(catalog.entry('mine:1b-q8')).toMatchObject({
      known: true,
      keepAlive: '2m',
      solving: { strategy: 'auto', drafts: 2, repairs: 3 },
    });
    expect(catalog.entry('mine', { parameterSize: '2.1B' }).solving.drafts).toBe(2);
    expect(catalog.entry('mine:7b').solving.drafts).toBe(3);
    expect(catalog.entry('big:14b').contextWindow).toBe(4096);
    expect(catalog.entry('big').known).toBe(false);
    expect(() => new ModelCatalog({ profiles: [{ match: { name: 'x' }, drafts: 3 }] })).toThrow(CatalogError);
  });

  test('a model of which only the size is known has the profile of its size', () => {
    expect(new ModelCatalog().entry('new:1b')).toMatchObject({
      known: false,
      solving: { form: 'definitions', drafts: 8, repairs: 0 },
    });
    expect(new ModelCatalog().entry('new:70b')).toMatchObject({
      known: false,
      solving: { form: 'files', drafts: 3, repairs: 1 },
    });
  });

  test.each([
    ['x', '1.8B', 1.8],
    ['x', '500M', 0.5],
    ['qwen2.5-coder:1.5b', undefined, 1.5],
    ['hf.co/some/Thing-7B-GGUF:Q4_K_M', undefined, 7],
    ['smollm:135m', undefined, 0.135],
    ['mixtral:8x7b', undefined, 7],
    ['llama3', undefined, undefined],
    ['phi4:latest', '', undefined],
  ])('the size of %s (%s) is %s billion', (model, told, billions) => {
    expect(billionParameters(model, told)).toBe(billions);
  });

  test('an unknown model gets defaults, its own window and capabilities', () => {
    const details = { capabilities: ['completion'], contextLength: 8192 };
    expect(new ModelCatalog().entry('new:1b', details)).toMatchObject({
      model: 'new:1b',
      known: false,
      contextWindow: 8192,
      capabilities: ['completion'],
      parallelToolCalls: true,
    });
  });

  test('the user overrides field by field and adds models and rules', async () => {
    const catalog = await ModelCatalog.load({
      userFile: await userFile({
        models: {
          'qwen3:8b': { keepAlive: '1h', options: { top_k: 20 } },
          'mine:3b': { contextWindow: 4096 },
        },
        selectionRules: { byTaskType: { planning: 'mine:3b' } },
      }),
    });
    expect(catalog.entry('qwen3:8b')).toMatchObject({
      keepAlive: '1h',
      options: { top_k: 20 },
      displayName: 'Qwen 3 8B',
      think: { planning: true },
    });
    expect(catalog.entry('mine:3b')).toMatchObject({
      known: true,
      contextWindow: 4096,
      displayName: 'mine:3b',
    });
    expect(catalog.selectModel('planning')).toBe('mine:3b');
    expect(catalog.selectModel('refactoring')).toBe('qwen2.5-coder:32b');
  });

  test('a missing file is an empty one', async () => {
    expect((await ModelCatalog.load({ userFile: join(folder(), 'none.json') })).selectModel()).toBe(
      'qwen2.5-coder:7b',
    );
    expect((await ModelCatalog.load({ userFile: '/dev/null/.config/models.json' })).selectModel()).toBe(
      'qwen2.5-coder:7b',
    );
  });

  test.each([
    ['{', 'not readable as JSON'],
    [{ models: { 'm:1': { contextWindw: 1 } } }, 'contextWindw'],
    [{ models: { 'm:1': { contextWindow: 'big' } } }, 'models["m:1"].contextWindow'],
    [{ rules: {} }, 'rules'],
  ])('%j is refused by name', async (content, said) => {
    const load = ModelCatalog.load({ userFile: await userFile(content) });
    await expect(load).rejects.toThrow(CatalogError);
    await expect(load).rejects.toThrow(said);
    await expect(load).rejects.toThrow('models.json');
  });
});

describe('chooseModel', () => {
  const catalog = new ModelCatalog();
  const only = (...names: string[]) => names.map((name) => ({ name }));
  const coder = 'qwen2.5-coder:7b';

  test.each([
    ['the named model', { named: 'a:1' }, only('a:1', coder), { model: 'a:1' }],
    ['a named model to be pulled', { named: 'a:1', autoPull: true }, only(coder), { model: 'a:1' }],
    [
      'another by rule when the configuration says so',
      { named: 'a:1', onMissing: 'fallback' as const },
      only(coder),
      { model: coder, warning: `model a:1 is not installed; using ${coder}` },
    ],
    [
      'the default to be pulled',
      { taskType: 'planning', configuredDefault: coder, autoPull: true },
      only('x:1'),
      { model: coder, warning: `model llama3.1:8b is not installed; using ${coder}` },
    ],
    [
      'the rule of the task type',
      { taskType: 'planning' },
      only('llama3.1:8b', coder),
      { model: 'llama3.1:8b' },
    ],
    [
      'the default when the rule names one that is not installed',
      { taskType: 'planning' },
      only(coder),
      { model: coder, warning: `model llama3.1:8b is not installed; using ${coder}` },
    ],
    ['the configured default', { configuredDefault: 'b:1' }, only('b:1', coder), { model: 'b:1' }],
    ['the catalogue default', {}, only('b:1', coder), { model: coder }],
    [
      'what is installed where none is configured',
      {},
      only('nomic-embed-text:latest', 'mistral:7b'),
      { model: 'mistral:7b' },
    ],
    [
      'anything usable at a terminal in place of a configured one',
      { anyUsable: true, configuredDefault: coder },
      only('nomic-embed-text:latest', 'mistral:7b'),
      { model: 'mistral:7b', warning: `model ${coder} is not installed; using mistral:7b` },
    ],
  ])('takes %s', (_title, wish, installed, value) => {
    expect(chooseModel(wish, installed, catalog)).toEqual({ ok: true, value });
  });

  test('a named model that is missing fails with what is installed', () => {
    expect(chooseModel({ named: 'a:1' }, only('b:1', 'c:1'), catalog)).toEqual({
      ok: false,
      failure: {
        code: 'model_not_found',
        message: 'model a:1 is not installed; run `ollama pull a:1` (installed: b:1, c:1)',
        retryable: false,
      },
    });
  });

  test('without a configured model it is one that the machine runs well, as `models recommend` has it', () => {
    const GIB = 1024 ** 3;
    const laptop = { memoryBytes: 16 * GIB, cores: 2 };
    const sized = (...models: [name: string, gib: number][]) =>
      models.map(([name, gib]) => ({ name, sizeBytes: gib * GIB }));
    const small: [string, number] = ['qwen2.5-coder:1.5b', 1];
    const choose = (machine: typeof laptop & { cardBytes?: number }, installed: ReturnType<typeof sized>) =>
      chooseModel({ machine }, installed, catalog);
    const took = (model: string) => ({ ok: true, value: { model } });
    expect(choose(laptop, sized([coder, 4.7], small))).toEqual(took(small[0]));
    expect(choose({ ...laptop, cardBytes: 8 * GIB }, sized([coder, 4.7], small))).toEqual(took(coder));
    expect(choose(laptop, sized(['qwen3:70b', 40], ['phi:3b', 2]))).toEqual(took('phi:3b'));
    expect(choose(laptop, sized(['qwen3:70b', 40]))).toEqual(took('qwen3:70b'));
    expect(choose(laptop, [])).toMatchObject({ failure: { message: expect.stringContaining(small[0]) } });
    const own = new ModelCatalog({ selectionRules: { default: 'phi:3b' } });
    expect(chooseModel({ machine: laptop }, sized(small, ['phi:3b', 2]), own)).toEqual(took('phi:3b'));
  });

  test('nothing installed fails, at a terminal too', () => {
    expect(chooseModel({ anyUsable: true }, [], catalog)).toMatchObject({
      ok: false,
      failure: { message: `model ${coder} is not installed; run \`ollama pull ${coder}\` (installed: none)` },
    });
  });

  test("a stage's model that is not installed is the task's", () => {
    expect(chooseStageModel('planning', 'x:1', only('x:1', 'llama3.1:8b'), catalog)).toBe('llama3.1:8b');
    expect(chooseStageModel('planning', 'x:1', only('x:1'), catalog)).toBe('x:1');
    expect(chooseStageModel('execution', 'x:1', only('x:1'), catalog)).toBe('x:1');
  });

  test('prefers tool-capable coding models, then large ones, and never an embedding', () => {
    const installed = [
      { name: 'gemma2:9b', sizeBytes: 5 },
      { name: 'mistral:7b', sizeBytes: 4 },
      { name: 'qwen2.5-coder:3b', sizeBytes: 2 },
      { name: 'bge-m3:latest', sizeBytes: 9 },
    ];
    expect(chooseUsableModel(installed, catalog)).toBe('qwen2.5-coder:3b');
    expect(chooseUsableModel(installed.slice(0, 2), catalog)).toBe('mistral:7b');
    expect(
      chooseUsableModel(
        [{ name: 'a', capabilities: ['tools', 'completion'] }, { name: 'codellama' }],
        catalog,
      ),
    ).toBe('a');
    expect(chooseUsableModel(installed.slice(3), catalog)).toBeUndefined();
  });

  test('a name without a tag is the latest', () => {
    expect(isSameModel('a', 'a:latest')).toBe(true);
    expect(isSameModel('hf.co/x/y', 'hf.co/x/y:latest')).toBe(true);
    expect(isSameModel('a', 'a:7b')).toBe(false);
  });
});
