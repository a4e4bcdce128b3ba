/** Types and helpers of the rules that read one node of a language. */
import type { Node } from 'web-tree-sitter';
import type { DefinitionForm, DefinitionKind, StatementRole } from '../types.ts';

export interface RuleMatch {
  names: readonly string[];
  kind: DefinitionKind;
  form?: DefinitionForm;
  /** Name of the container if it is not the parent node: the type of a receiver, or the object of a prototype. */
  container?: string;
  body?: Node | null;
  /** Node whose children are the definition's members. */
  members?: Node | null;
  separator?: ',';
  parameters?: Node | null;
  value?: Node | null;
  variant?: string;
}

export type NodeReading =
  | { is: 'definition'; match: RuleMatch }
  /** The node's children count as part of its own level: conditional compilation, a wrapper. */
  | { is: 'through'; children: readonly Node[] }
  | { is: 'statement'; role: StatementRole }
  /** The node is part of the next definition: a decorator, an attribute. */
  | 'leading'
  | 'import'
  | 'comment'
  | 'nothing';

export interface LanguageRules {
  /** Reads a node. `outerKind`: kind of the definition around it; undefined at the top level. */
  readNode(node: Node, outerKind: DefinitionKind | undefined): NodeReading;
  /** Types of nodes that are decorators if they stand at the start of a definition. */
  decorators: ReadonlySet<string>;
  /** Types of nodes whose text, including its line breaks, must not be re-indented. */
  strings: ReadonlySet<string>;
  /** Types of nodes that are nested definitions if they are in a function's body. */
  nested: ReadonlySet<string>;
}

export const buildDefinition = (match: RuleMatch): NodeReading => ({ is: 'definition', match });
/** Returns the match of a reading; undefined if the reading is not a definition. */
export const matchOf = (reading: NodeReading | null | undefined): RuleMatch | undefined =>
  typeof reading === 'object' && reading?.is === 'definition' ? reading.match : undefined;
export const buildStatement = (role: StatementRole): NodeReading => ({ is: 'statement', role });

export const fieldOf = (node: Node | null | undefined, name: string): Node | null =>
  node?.childForFieldName(name) ?? null;
export const nameOf = (node: Node | null, name = 'name'): string => fieldOf(node, name)?.text ?? '';
/** Reads a class or similar definition, whose body contains its members. */
export function readContainer(
  node: Node,
  kind: DefinitionKind,
  overrides: Partial<RuleMatch> = {},
): NodeReading {
  const body = fieldOf(node, 'body');
  const separator = kind === 'enum' ? ',' : undefined;
  return buildDefinition({ names: [nameOf(node)], kind, body, members: body, separator, ...overrides });
}
/** Reads a function or a method. */
export const readCallable = (
  node: Node,
  overrides: Partial<RuleMatch> & Pick<RuleMatch, 'kind'>,
): NodeReading =>
  buildDefinition({
    names: [nameOf(node)],
    body: fieldOf(node, 'body'),
    parameters: fieldOf(node, 'parameters'),
    ...overrides,
  });
export const childOf = (node: Node | null | undefined, ...types: string[]): Node | null =>
  node?.namedChildren.find((child) => types.includes(child.type)) ?? null;
export const childrenOf = (node: Node | null | undefined, ...types: string[]): Node[] =>
  node?.namedChildren.filter((child) => types.includes(child.type)) ?? [];
