import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { chooseToolMode, chooseThink } from '../../sidecar/model/call-options.ts';
import { CatalogError, ModelCatalog } from '../../sidecar/model/catalog.ts';
import {
  chooseModel,
  chooseStageModel,
  chooseUsableModel,
  isSameModel,
} from '../../sidecar/model/choose-model.ts';
import { parameterBillionsOf } from '../../sidecar/model/profile-match.ts';
import { tempFolders } from '../support/temp-folder.ts';

describe('catalog', () => {
  const folder = tempFolders();
  const userFile = async (content: unknown): Promise<string> => {
    const path = join(folder(), 'models.json');
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };

  describe('ModelCatalog', () => {
    test('picks by task type, else the default', () => {
      const catalog = new ModelCatalog();
      expect(catalog.default).toBe('qwen2.5-coder:7b');
      expect(catalog.findModelForTaskType('refactoring')).toBe('qwen2.5-coder:32b');
      expect(catalog.findModelForTaskType('planning')).toBe('llama3.1:8b');
      expect(catalog.findModelForTaskType('constructor')).toBeUndefined();
    });

    test('an entry has every field', () => {
      expect(new ModelCatalog().findEntry('llama3.1:8b')).toEqual({
        model: 'llama3.1:8b',
        isKnown: true,
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
      expect(catalog.findEntry('mine:1b-q8')).toMatchObject({
        isKnown: true,
        keepAlive: '2m',
        solving: { strategy: 'auto', drafts: 2, repairs: 3 },
      });
      expect(catalog.findEntry('mine', { parameterSize: '2.1B' }).solving.drafts).toBe(2);
      expect(catalog.findEntry('mine:7b').solving.drafts).toBe(3);
      expect(catalog.findEntry('big:14b').contextWindow).toBe(4096);
      expect(catalog.findEntry('big').isKnown).toBe(false);
      expect(() => new ModelCatalog({ profiles: [{ match: { name: 'x' }, drafts: 3 }] })).toThrow(
        CatalogError,
      );
    });

    test('a model of which only the size is known has the profile of its size', () => {
      expect(new ModelCatalog().findEntry('new:1b')).toMatchObject({
        isKnown: false,
        solving: { form: 'definitions', drafts: 8, repairs: 0 },
      });
      expect(new ModelCatalog().findEntry('new:70b')).toMatchObject({
        isKnown: false,
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
      expect(parameterBillionsOf(model, told)).toBe(billions);
    });

    test('an unknown model gets defaults, its own window and capabilities', () => {
      const details = { capabilities: ['completion'], contextLength: 8192 };
      expect(new ModelCatalog().findEntry('new:1b', details)).toMatchObject({
        model: 'new:1b',
        isKnown: false,
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
      expect(catalog.findEntry('qwen3:8b')).toMatchObject({
        keepAlive: '1h',
        options: { top_k: 20 },
        displayName: 'Qwen 3 8B',
        think: { planning: true },
      });
      expect(catalog.findEntry('mine:3b')).toMatchObject({
        isKnown: true,
        contextWindow: 4096,
        displayName: 'mine:3b',
      });
      expect(catalog.findModelForTaskType('planning')).toBe('mine:3b');
      expect(catalog.findModelForTaskType('refactoring')).toBe('qwen2.5-coder:32b');
    });

    test('a missing file is an empty one', async () => {
      for (const userFile of [join(folder(), 'none.json'), '/dev/null/.config/models.json'])
        expect((await ModelCatalog.load({ userFile })).default).toBe('qwen2.5-coder:7b');
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
      ['the named model', { namedModel: 'a:1' }, only('a:1', coder), { model: 'a:1' }],
      ['a named model to be pulled', { namedModel: 'a:1', autoPull: true }, only(coder), { model: 'a:1' }],
      [
        'another by rule when the configuration says so',
        { namedModel: 'a:1', onMissing: 'fallback' as const },
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
        { mayUseAny: true, configuredDefault: coder },
        only('nomic-embed-text:latest', 'mistral:7b'),
        { model: 'mistral:7b', warning: `model ${coder} is not installed; using mistral:7b` },
      ],
      ['a named model in the spelling of the server', { namedModel: 'B:1' }, only('b:1'), { model: 'b:1' }],
    ])('takes %s', (_title, wish, installed, value) => {
      expect(chooseModel(wish, installed, catalog)).toEqual({ ok: true, value });
    });

    test('a named model that is missing fails with what is installed', () => {
      expect(chooseModel({ namedModel: 'a:1' }, only('b:1', 'c:1'), catalog)).toEqual({
        ok: false,
        failure: {
          code: 'model_not_found',
          message:
            'model a:1 is not installed; run `ollama pull a:1` (installed: b:1, c:1); did you mean b:1?',
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
      expect(chooseModel({ mayUseAny: true }, [], catalog)).toMatchObject({
        ok: false,
        failure: {
          message: `model ${coder} is not installed; run \`ollama pull ${coder}\` (installed: none)`,
        },
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
      expect(isSameModel('Qwen3:8B', 'qwen3:8b')).toBe(true);
    });
  });
});

/** The families of the shipped catalogue: found by name in any registry's spelling, else by what the server tells. */
const catalog = new ModelCatalog();

/** Name, family as it is shown, how calls are made, thinking of agentic and planning calls, window without a server's word. */
test.each([
  ['qwen2.5:7b', 'Qwen 2.5', 'native', false, false, 32_768],
  ['qwen2.5-coder:1.5b', 'Qwen 2.5 Coder', 'native', false, false, 32_768],
  ['hf.co/bartowski/Qwen2.5-Coder-3B-Instruct-GGUF:Q4_K_M', 'Qwen 2.5 Coder', 'native', false, false, 32_768],
  ['qwen3:4b', 'Qwen 3', 'native', false, true, 40_960],
  ['qwen3-coder:30b', 'Qwen 3 Coder', 'native', false, false, 262_144],
  ['qwen3.5:9b', 'Qwen 3.5', 'native', false, true, 262_144],
  ['llama3.1:70b', 'Llama 3.1', 'native', false, false, 131_072],
  ['llama3.2', 'Llama 3.2', 'native', false, false, 131_072],
  ['llama3.3:70b', 'Llama 3.3', 'native', false, false, 131_072],
  ['hf.co/unsloth/Llama-3.2-3B-Instruct-GGUF', 'Llama 3', 'native', false, false, 131_072],
  ['llama4:scout', 'Llama 4', 'native', false, false, 131_072],
  ['gemma3:12b', 'Gemma 3', 'structured', false, false, 131_072],
  ['gemma3:1b', 'Gemma 3', 'structured', false, false, 32_768],
  ['gemma4:e4b', 'Gemma 4', 'native', false, true, 131_072],
  ['mistral:7b', 'Mistral', 'native', false, false, 32_768],
  ['mistral-small3.2:24b', 'Mistral Small', 'native', false, false, 131_072],
  ['devstral:24b', 'Devstral', 'native', false, false, 131_072],
  ['codestral:22b', 'Codestral', 'structured', false, false, 32_768],
  ['phi4:14b', 'Phi 4', 'structured', false, false, 16_384],
  ['phi4-mini:3.8b', 'Phi 4 mini', 'native', false, false, 131_072],
  ['phi4-reasoning:14b', 'Phi 4 reasoning', 'structured', false, false, 32_768],
  ['deepseek-coder:6.7b', 'DeepSeek Coder', 'structured', false, false, 16_384],
  ['deepseek-coder-v2:16b', 'DeepSeek Coder V2', 'structured', false, false, 131_072],
  ['deepseek-r1:8b-0528-qwen3-q4_K_M', 'DeepSeek R1 distilled', 'structured', true, true, 131_072],
  ['gpt-oss:20b', 'gpt-oss', 'native', 'low', 'medium', 131_072],
  ['granite4:micro', 'Granite', 'native', false, false, 131_072],
  ['granite-code:3b', 'Granite Code', 'structured', false, false, 8192],
  ['starcoder2:15b', 'StarCoder 2', 'structured', false, false, 16_384],
  ['smollm:135m', 'SmolLM', 'structured', false, false, 2048],
  ['smollm2:1.7b', 'SmolLM 2', 'structured', false, false, 8192],
  ['command-r:35b', 'Command R', 'native', false, false, 131_072],
  ['command-r7b', 'Command R', 'native', false, false, 131_072],
] as const)('%s is %s', (model, family, mode, agentic, planning, window) => {
  const entry = catalog.findEntry(model);
  const { capabilities } = entry;
  expect(entry).toMatchObject({ isKnown: true, displayName: family, contextWindow: window });
  expect(chooseToolMode('auto', entry, entry)).toBe(mode);
  expect(chooseThink('agentic', entry, capabilities)).toBe(agentic);
  expect(chooseThink('planning', entry, capabilities)).toBe(planning);
});

describe('what the server tells', () => {
  test('finds the family of a model with a name of its own', () => {
    const details = {
      family: 'qwen3moe',
      parameterSize: '30.5B',
      contextLength: 262_144,
      capabilities: ['completion'],
    };
    expect(catalog.findEntry('my-agent', details)).toMatchObject({
      isKnown: true,
      contextWindow: 262_144,
      capabilities: ['completion'],
      solving: { drafts: 3, form: 'files' },
    });
    expect(catalog.findEntry('my-agent', { family: 'gptoss' }).think).toMatchObject({ agentic: 'low' });
    expect(catalog.findEntry('my-agent', { family: 'unheard', parameterSize: '1B' })).toMatchObject({
      isKnown: false,
      solving: { drafts: 8, form: 'definitions' },
    });
  });

  test('does not move a model away from the family of its name', () => {
    const distilled = catalog.findEntry('deepseek-r1:7b', { family: 'qwen2' });
    expect(distilled.displayName).toBe('DeepSeek R1 distilled');
  });

  test('wins over the catalogue, and the user over both', () => {
    const told = { contextLength: 4096, capabilities: ['completion'] };
    expect(catalog.findEntry('devstral:24b', told)).toMatchObject({
      contextWindow: 4096,
      capabilities: ['completion'],
    });
    expect(catalog.findEntry('devstral:24b', { capabilities: [] }).capabilities).toContain('tools');
    const mine = new ModelCatalog({ models: { 'devstral:24b': { contextWindow: 2048 } } });
    expect(mine.findEntry('devstral:24b', told)).toMatchObject({
      contextWindow: 2048,
      capabilities: ['completion'],
    });
  });
});
