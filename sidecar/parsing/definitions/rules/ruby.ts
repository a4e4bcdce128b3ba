import type { Node } from 'web-tree-sitter';
import type { DefinitionKind } from '../types.ts';
import {
  readCallable,
  readContainer,
  buildDefinition,
  fieldOf,
  nameOf,
  buildStatement,
  type NodeReading,
  type LanguageRules,
} from './language-rules.ts';

const IMPORT_METHODS = new Set(['require', 'require_relative', 'load', 'autoload']);
const ATTRIBUTE_METHODS = new Set(['attr_reader', 'attr_writer', 'attr_accessor']);
const DEFINITION_KINDS: Record<string, DefinitionKind> = {
  module: 'module',
  class: 'class',
  singleton_class: 'class',
};

export const ruby: LanguageRules = {
  decorators: new Set(),
  strings: new Set(['string', 'heredoc_body']),
  nested: new Set(),
  readNode(node, outerKind): NodeReading {
    if (node.type === 'comment') return 'comment';
    const kind = DEFINITION_KINDS[node.type];
    if (kind) return readContainer(node, kind, { names: [nameOf(node) || 'self'] });
    if (node.type === 'method' || node.type === 'singleton_method')
      return readCallable(node, {
        kind: outerKind ? 'method' : 'function',
        variant: node.type === 'singleton_method' ? 'static' : undefined,
      });
    if (node.type === 'assignment')
      return buildDefinition({
        names: [fieldOf(node, 'left')?.text ?? ''],
        kind: outerKind ? 'property' : 'constant',
        form: 'variable',
        value: fieldOf(node, 'right'),
      });
    if (node.type === 'call') return readCall(node);
    if (node.type === 'if' || node.type === 'if_modifier')
      return buildStatement(
        node.text.includes('$PROGRAM_NAME') || node.text.includes('$0') ? 'main' : 'other',
      );
    return node.isNamed ? buildStatement('other') : 'nothing';
  },
};

function readCall(node: Node): NodeReading {
  const method = fieldOf(node, 'method')?.text ?? '';
  if (IMPORT_METHODS.has(method)) return 'import';
  const list = fieldOf(node, 'arguments')?.namedChildren ?? [];
  if (ATTRIBUTE_METHODS.has(method))
    return buildDefinition({ names: list.map((argument) => argument.text), kind: 'property', form: 'field' });
  const [first] = list;
  if (fieldOf(node, 'block') && first)
    return buildDefinition({
      names: [`${method}(${first.text})`],
      kind: 'call',
      form: 'assignment',
      body: fieldOf(node, 'block'),
    });
  return buildStatement('call');
}
