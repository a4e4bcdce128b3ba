import type { Node } from 'web-tree-sitter';
import type { DefinitionForm, DefinitionKind } from '../types.ts';
import {
  readCallable,
  childOf,
  childrenOf,
  readContainer,
  define,
  field,
  nameIn,
  statement,
  type NodeReading,
  type Rules,
} from './reading.ts';

const TYPES: Record<string, DefinitionKind> = {
  class_declaration: 'class',
  interface_declaration: 'interface',
  trait_declaration: 'class',
  enum_declaration: 'enum',
};
const MEMBERS: Record<string, DefinitionForm> = {
  method_declaration: 'method',
  property_declaration: 'field',
  const_declaration: 'field',
  enum_case: 'field',
};

export const php: Rules = {
  decorators: new Set(['attribute_list']),
  strings: new Set(['string', 'encapsed_string', 'heredoc', 'nowdoc']),
  nested: new Set(),
  read(node, inside): NodeReading {
    if (node.type === 'comment') return 'comment';
    if (node.type === 'php_tag') return statement('package');
    if (node.type === 'namespace_use_declaration') return 'import';
    if (node.type === 'namespace_definition') return namespaceOf(node);
    const kind = TYPES[node.type];
    if (kind) return readContainer(node, kind, { separator: undefined });
    if (node.type === 'function_definition') return readCallable(node, { kind: 'function' });
    const form = MEMBERS[node.type];
    if (form) return readMember(node, form, inside);
    if (node.type === 'expression_statement') return readExpression(node);
    return node.isNamed ? statement('other') : 'nothing';
  },
};

const namespaceOf = (node: Node): NodeReading =>
  field(node, 'body') ? readContainer(node, 'module') : statement('package');

function readMember(node: Node, form: DefinitionForm, inside: DefinitionKind | undefined): NodeReading {
  const names = childrenOf(node, 'property_element', 'const_element').map(
    (each) => (field(each, 'name') ?? childOf(each, 'name'))?.text ?? '',
  );
  return readCallable(node, {
    names: names.length > 0 ? names : [nameIn(node)],
    kind: form === 'method' ? 'method' : inside ? 'property' : 'constant',
    form,
  });
}

function readExpression(node: Node): NodeReading {
  const [inner] = node.namedChildren;
  if (inner?.type === 'assignment_expression')
    return define({
      names: [field(inner, 'left')?.text ?? ''],
      kind: 'constant',
      form: 'variable',
      value: field(inner, 'right'),
    });
  if (inner && /^(require|include)(_once)?_expression$/.test(inner.type)) return 'import';
  const [, name] = /^define\s*\(\s*(['"]\w+['"])/.exec(inner?.text.slice(0, 200) ?? '') ?? [];
  if (name !== undefined) return define({ names: [`define(${name})`], kind: 'constant', form: 'assignment' });
  return statement('call');
}
