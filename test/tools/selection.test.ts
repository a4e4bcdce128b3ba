import { describe, expect, test } from '@jest/globals';
import { ownTool as ownToolSettings } from '../../sidecar/config/own-tools.ts';
import { ownTool } from '../../sidecar/tools/own/own-tool.ts';
import { createToolRegistry } from '../../sidecar/tools/registry.ts';
import { toolsetOf, unknownNames, type ToolSelection } from '../../sidecar/tools/selection.ts';

const greet = ownTool(ownToolSettings.parse({ name: 'greet', description: 'Greet.', command: ['echo'] }));
const offered = (few: boolean, ...selections: ToolSelection[]): string[] => {
  const { added, offers } = toolsetOf([greet], selections);
  return createToolRegistry(added, { few, offers }).names();
};

describe('the tools that a model gets', () => {
  test('are those that every list lets through', () => {
    const operator = { only: ['shell', 'grep', 'greet'], disabled: ['grep'] };
    expect(offered(false, operator)).toEqual(['shell', 'greet']);
    expect(offered(false, operator, { only: ['read_file', 'greet'] })).toEqual(['greet']);
    expect(offered(false, operator, { disabled: ['greet'] })).toEqual(['shell']);
  });

  test('are the few ones and those that were added, for a model that gets few', () => {
    const few = createToolRegistry([], { few: true }).names();
    expect(offered(true)).toEqual([...few, 'greet']);
    expect(offered(true, { disabled: [few[0]!] })).toEqual([...few.slice(1), 'greet']);
  });

  test('are more than the few where a list asks for another by name', () => {
    const wants = (only: string[]) => toolsetOf([greet], [{ only }]).wantsMoreThanFew;
    expect(wants(['read_file', 'greet'])).toBe(false);
    expect(wants(['read_file', 'glob'])).toBe(true);
  });
});

test('a name is known by its own spelling only', () => {
  const selection = { only: ['read_file', 'ReadFile', 'greet'], disabled: ['bash', 'bash'] };
  expect(unknownNames(selection, (name) => name === 'greet')).toEqual(['ReadFile', 'bash']);
});
