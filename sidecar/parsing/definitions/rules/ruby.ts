import type { Node } from 'web-tree-sitter';
import type { DefinitionKind } from '../types.ts';
import {
  readCallable,
  readContainer,
  define,
  field,
  nameIn,
  statement,
  type NodeReading,
  type Rules,
} from './reading.ts';

const IMPORTS = new Set(['require', 'require_relative', 'load', 'autoload']);
const ATTRIBUTES = new Set(['attr_reader', 'attr_writer', 'attr_accessor']);
const KINDS: Record<string, DefinitionKind> = {
  module: 'module',
  class: 'class',
  singleton_class: 'class',
};

export const ruby: Rules = {
  decorators: new Set(),
  strings: new Set(['string', 'heredoc_body']),
  nested: new Set(),
  read(node, inside): NodeReading {
    if (node.type === 'comment') return 'comment';
    const kind = KINDS[node.type];
    if (kind) return readContainer(node, kind, { names: [nameIn(node) || 'self'] });
    if (node.type === 'method' || node.type === 'singleton_method')
      return readCallable(node, {
        kind: inside ? 'method' : 'function',
        variant: node.type === 'singleton_method' ? 'static' : undefined,
      });
    if (node.type === 'assignment')
      return define({
        names: [field(node, 'left')?.text ?? ''],
        kind: inside ? 'property' : 'constant',
        form: 'variable',
        value: field(node, 'right'),
      });
    if (node.type === 'call') return readCall(node);
    if (node.type === 'if' || node.type === 'if_modifier')
      return statement(node.text.includes('$PROGRAM_NAME') || node.text.includes('$0') ? 'main' : 'other');
    return node.isNamed ? statement('other') : 'nothing';
  },
};

function readCall(node: Node): NodeReading {
  const method = field(node, 'method')?.text ?? '';
  if (IMPORTS.has(method)) return 'import';
  const list = field(node, 'arguments')?.namedChildren ?? [];
  if (ATTRIBUTES.has(method))
    return define({ names: list.map((each) => each.text), kind: 'property', form: 'field' });
  const [first] = list;
  if (field(node, 'block') && first)
    return define({
      names: [`${method}(${first.text})`],
      kind: 'call',
      form: 'assignment',
      body: field(node, 'block'),
    });
  return statement('call');
}
