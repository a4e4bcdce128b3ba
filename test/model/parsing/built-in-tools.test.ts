import { expect, test } from '@jest/globals';
import { builtInTools } from '../../../sidecar/model/parsing/built-in-tools.ts';
import { createToolRegistry } from '../../../sidecar/tools/registry.ts';

interface Parameters {
  properties: Record<string, { type?: string; enum?: unknown[] }>;
}
/** Whole numbers are `integer` here, also where a tool takes fractions. */
const typesOf = ({ properties }: Parameters) =>
  Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => [
      key,
      (schema.type ?? (schema.enum ? 'string' : undefined))?.replace('number', 'integer'),
    ]),
  );

test('the parser’s table of standard tools is in step with the registry', () => {
  const table = Object.entries(builtInTools).map(([name, schema]) => [
    name,
    typesOf(schema as unknown as Parameters),
  ]);
  const registered = createToolRegistry()
    .definitions()
    .map(({ function: tool }) => [tool.name, typesOf(tool.parameters as Parameters)]);
  expect(Object.fromEntries(table)).toMatchObject(Object.fromEntries(registered));
});
