/** The families of the shipped catalogue: found by name in any registry's spelling, else by what the server tells. */
import { describe, expect, test } from '@jest/globals';
import { chooseToolMode, thinkFor } from '../../sidecar/model/call-options.ts';
import { ModelCatalog } from '../../sidecar/model/catalog.ts';

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
  const entry = catalog.entry(model);
  const { capabilities } = entry;
  expect(entry).toMatchObject({ known: true, displayName: family, contextWindow: window });
  expect(chooseToolMode('auto', entry, entry)).toBe(mode);
  expect(thinkFor('agentic', entry, capabilities)).toBe(agentic);
  expect(thinkFor('planning', entry, capabilities)).toBe(planning);
});

describe('what the server tells', () => {
  test('finds the family of a model with a name of its own', () => {
    const details = {
      family: 'qwen3moe',
      parameterSize: '30.5B',
      contextLength: 262_144,
      capabilities: ['completion'],
    };
    expect(catalog.entry('my-agent', details)).toMatchObject({
      known: true,
      contextWindow: 262_144,
      capabilities: ['completion'],
      solving: { drafts: 3, form: 'files' },
    });
    expect(catalog.entry('my-agent', { family: 'gptoss' }).think).toMatchObject({ agentic: 'low' });
    expect(catalog.entry('my-agent', { family: 'unheard', parameterSize: '1B' })).toMatchObject({
      known: false,
      solving: { drafts: 8, form: 'definitions' },
    });
  });

  test('does not move a model away from the family of its name', () => {
    const distilled = catalog.entry('deepseek-r1:7b', { family: 'qwen2' });
    expect(distilled.displayName).toBe('DeepSeek R1 distilled');
  });

  test('wins over the catalogue, and the user over both', () => {
    const told = { contextLength: 4096, capabilities: ['completion'] };
    expect(catalog.entry('devstral:24b', told)).toMatchObject({
      contextWindow: 4096,
      capabilities: ['completion'],
    });
    expect(catalog.entry('devstral:24b', { capabilities: [] }).capabilities).toContain('tools');
    const mine = new ModelCatalog({ models: { 'devstral:24b': { contextWindow: 2048 } } });
    expect(mine.entry('devstral:24b', told)).toMatchObject({
      contextWindow: 2048,
      capabilities: ['completion'],
    });
  });
});
