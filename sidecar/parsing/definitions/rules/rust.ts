import type { Node } from 'web-tree-sitter';
import type { DefinitionKind } from '../types.ts';
import {
  readCallable,
  readContainer,
  fieldOf,
  buildStatement,
  type NodeReading,
  type LanguageRules,
} from './language-rules.ts';

const DEFINITION_KINDS: Record<string, DefinitionKind> = {
  function_item: 'function',
  function_signature_item: 'function',
  struct_item: 'class',
  union_item: 'class',
  enum_item: 'enum',
  trait_item: 'interface',
  mod_item: 'module',
  const_item: 'constant',
  static_item: 'constant',
  type_item: 'type',
  associated_type: 'type',
  macro_definition: 'function',
  field_declaration: 'property',
  enum_variant: 'property',
};

export const rust: LanguageRules = {
  decorators: new Set(['attribute_item']),
  strings: new Set(['string_literal', 'raw_string_literal']),
  nested: new Set(['function_item']),
  readNode(node, outerKind): NodeReading {
    if (node.type === 'line_comment' || node.type === 'block_comment') return 'comment';
    if (node.type === 'use_declaration' || node.type === 'extern_crate_declaration') return 'import';
    if (node.type === 'attribute_item') return 'leading';
    if (node.type === 'impl_item') return readImplementation(node);
    const kind = DEFINITION_KINDS[node.type];
    return kind
      ? readDeclaration(node, kind, outerKind)
      : buildStatement(node.type === 'macro_invocation' ? 'call' : 'other');
  },
};

function readDeclaration(
  node: Node,
  kind: DefinitionKind,
  outerKind: DefinitionKind | undefined,
): NodeReading {
  const body = fieldOf(node, 'body');
  const isMember = outerKind !== undefined && outerKind !== 'module';
  const isContainer = kind !== 'function' && body !== null;
  const hasCommas = kind === 'class' || kind === 'enum';
  return readCallable(node, {
    kind: kind === 'function' && isMember ? 'method' : kind,
    form: kind === 'property' ? 'field' : kind === 'constant' ? 'variable' : 'declaration',
    members: isContainer && kind !== 'property' ? body : null,
    separator: hasCommas ? ',' : undefined,
  });
}

/**
 * Reads an `impl` under the name of its type, so that a struct's methods and its implementations have the
 * same container.
 */
function readImplementation(node: Node): NodeReading {
  const type = fieldOf(node, 'type')?.text.replace(/<[\s\S]*$/, '') ?? '';
  const variant = `impl ${fieldOf(node, 'trait')?.text ?? ''}`.trim();
  return readContainer(node, 'class', { names: [type], variant });
}
