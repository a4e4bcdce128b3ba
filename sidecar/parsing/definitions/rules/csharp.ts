import type { Node } from 'web-tree-sitter';
import type { DefinitionForm, DefinitionKind } from '../types.ts';
import {
  readCallable,
  childOf,
  childrenOf,
  readContainer,
  fieldOf,
  nameOf,
  buildStatement,
  type NodeReading,
  type LanguageRules,
} from './language-rules.ts';

const TYPE_NODES: Record<string, DefinitionKind> = {
  namespace_declaration: 'module',
  class_declaration: 'class',
  struct_declaration: 'class',
  record_declaration: 'class',
  interface_declaration: 'interface',
  enum_declaration: 'enum',
  delegate_declaration: 'type',
};
const MEMBER_NODES: Record<string, DefinitionForm> = {
  method_declaration: 'method',
  constructor_declaration: 'method',
  destructor_declaration: 'method',
  operator_declaration: 'method',
  indexer_declaration: 'method',
  property_declaration: 'field',
  field_declaration: 'field',
  event_field_declaration: 'field',
  event_declaration: 'field',
  enum_member_declaration: 'field',
  local_function_statement: 'method',
};

export const csharp: LanguageRules = {
  decorators: new Set(['attribute_list']),
  strings: new Set([
    'string_literal',
    'verbatim_string_literal',
    'raw_string_literal',
    'interpolated_string_expression',
  ]),
  nested: new Set(),
  readNode(node): NodeReading {
    if (node.type === 'comment') return 'comment';
    if (node.type === 'using_directive' || node.type === 'extern_alias_directive') return 'import';
    if (node.type === 'file_scoped_namespace_declaration') return readNamespace(node);
    if (node.type === 'global_statement') {
      const [inner] = node.namedChildren;
      return inner?.type === 'local_function_statement'
        ? csharp.readNode(inner, undefined)
        : readGlobalStatement(inner);
    }
    const kind = TYPE_NODES[node.type];
    if (kind) return readContainer(node, kind);
    const form = MEMBER_NODES[node.type];
    if (!form) return node.isNamed ? buildStatement('other') : 'nothing';
    const body = fieldOf(node, 'body') ?? childOf(node, 'accessor_list');
    const memberKind = form === 'method' ? 'method' : 'property';
    return readCallable(node, { names: namesOf(node), kind: memberKind, form, body });
  },
};

/** Reads `namespace N;`. In some grammars the node has no content, in others it contains the rest of the file. */
function readNamespace(node: Node): NodeReading {
  const types = node.namedChildren.filter(
    (child) => child.type in TYPE_NODES || child.type === 'using_directive',
  );
  return types.length > 0
    ? { is: 'through', children: node.namedChildren.slice(1) }
    : buildStatement('package');
}

const readGlobalStatement = (inner: Node | undefined): NodeReading =>
  buildStatement(inner?.type === 'expression_statement' ? 'call' : 'other');

function namesOf(node: Node): string[] {
  const variables = childrenOf(childOf(node, 'variable_declaration'), 'variable_declarator').map(
    (declarator) => nameOf(declarator),
  );
  if (variables.length > 0) return variables;
  if (node.type === 'indexer_declaration') return ['this[]'];
  return [nameOf(node) || (fieldOf(node, 'operator')?.text ?? '')];
}
