import { describe, expect, test } from '@jest/globals';
import { ownTool as ownToolSettings } from '../../sidecar/config/own-tools.ts';
import { ownTool } from '../../sidecar/tools/own/own-tool.ts';
import { createToolRegistry } from '../../sidecar/tools/registry.ts';
import { toolsetOf, unknownNames, type ToolSelection } from '../../sidecar/tools/selection.ts';

const greet = ownTool(ownToolSettings.parse({ name: 'greet', description: 'Greet.', command: ['echo'] }));
const offered = (...selections: ToolSelection[]): string[] => {
  const { added, offers } = toolsetOf([greet], selections);
  return createToolRegistry(added, { offers }).names();
};

describe('the tools that a model gets', () => {
  test('are those that every list lets through', () => {
    const operator = { only: ['shell', 'grep', 'greet'], disabled: ['grep'] };
    expect(offered(operator)).toEqual(['shell', 'greet']);
    expect(offered(operator, { only: ['read_file', 'greet'] })).toEqual(['greet']);
    expect(offered(operator, { disabled: ['greet'] })).toEqual(['shell']);
  });
});

test('a name is known by its own spelling only', () => {
  const selection = { only: ['read_file', 'ReadFile', 'greet'], disabled: ['bash', 'bash'] };
  expect(unknownNames(selection, (name) => name === 'greet')).toEqual(['ReadFile', 'bash']);
});
