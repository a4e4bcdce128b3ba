import type { Node } from 'web-tree-sitter';
import type { DefinitionForm, DefinitionKind } from '../types.ts';
import {
  readCallable,
  childOf,
  childrenOf,
  readContainer,
  buildDefinition,
  fieldOf,
  nameOf,
  buildStatement,
  type NodeReading,
  type LanguageRules,
} from './language-rules.ts';

const TYPE_NODES: Record<string, DefinitionKind> = {
  class_declaration: 'class',
  interface_declaration: 'interface',
  trait_declaration: 'class',
  enum_declaration: 'enum',
};
const MEMBER_NODES: Record<string, DefinitionForm> = {
  method_declaration: 'method',
  property_declaration: 'field',
  const_declaration: 'field',
  enum_case: 'field',
};

export const php: LanguageRules = {
  decorators: new Set(['attribute_list']),
  strings: new Set(['string', 'encapsed_string', 'heredoc', 'nowdoc']),
  nested: new Set(),
  readNode(node, outerKind): NodeReading {
    if (node.type === 'comment') return 'comment';
    if (node.type === 'php_tag') return buildStatement('package');
    if (node.type === 'namespace_use_declaration') return 'import';
    if (node.type === 'namespace_definition') return readNamespace(node);
    const kind = TYPE_NODES[node.type];
    if (kind) return readContainer(node, kind, { separator: undefined });
    if (node.type === 'function_definition') return readCallable(node, { kind: 'function' });
    const form = MEMBER_NODES[node.type];
    if (form) return readMember(node, form, outerKind);
    if (node.type === 'expression_statement') return readExpression(node);
    return node.isNamed ? buildStatement('other') : 'nothing';
  },
};

const readNamespace = (node: Node): NodeReading =>
  fieldOf(node, 'body') ? readContainer(node, 'module') : buildStatement('package');

function readMember(node: Node, form: DefinitionForm, outerKind: DefinitionKind | undefined): NodeReading {
  const names = childrenOf(node, 'property_element', 'const_element').map(
    (element) => (fieldOf(element, 'name') ?? childOf(element, 'name'))?.text ?? '',
  );
  return readCallable(node, {
    names: names.length > 0 ? names : [nameOf(node)],
    kind: form === 'method' ? 'method' : outerKind ? 'property' : 'constant',
    form,
  });
}

function readExpression(node: Node): NodeReading {
  const [inner] = node.namedChildren;
  if (inner?.type === 'assignment_expression')
    return buildDefinition({
      names: [fieldOf(inner, 'left')?.text ?? ''],
      kind: 'constant',
      form: 'variable',
      value: fieldOf(inner, 'right'),
    });
  if (inner && /^(require|include)(_once)?_expression$/.test(inner.type)) return 'import';
  const [, name] = /^define\s*\(\s*(['"]\w+['"])/.exec(inner?.text.slice(0, 200) ?? '') ?? [];
  if (name !== undefined)
    return buildDefinition({ names: [`define(${name})`], kind: 'constant', form: 'assignment' });
  return buildStatement('call');
}
