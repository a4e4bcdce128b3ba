import type { Node } from 'web-tree-sitter';
import type { DefinitionForm, DefinitionKind } from '../types.ts';
import {
  readCallable,
  readContainer,
  nameOf,
  buildStatement,
  type NodeReading,
  type LanguageRules,
} from './language-rules.ts';

const TYPE_NODES: Record<string, DefinitionKind> = {
  class_declaration: 'class',
  record_declaration: 'class',
  interface_declaration: 'interface',
  annotation_type_declaration: 'interface',
  enum_declaration: 'enum',
};
const MEMBER_NODES: Record<string, DefinitionForm> = {
  method_declaration: 'method',
  constructor_declaration: 'method',
  compact_constructor_declaration: 'method',
  annotation_type_element_declaration: 'method',
  field_declaration: 'field',
  constant_declaration: 'field',
  enum_constant: 'field',
};

export const java: LanguageRules = {
  decorators: new Set(['annotation', 'marker_annotation']),
  strings: new Set(['string_literal']),
  nested: new Set(),
  readNode(node): NodeReading {
    if (node.type === 'line_comment' || node.type === 'block_comment') return 'comment';
    if (node.type === 'import_declaration') return 'import';
    if (node.type === 'package_declaration') return buildStatement('package');
    if (node.type === 'enum_body_declarations') return { is: 'through', children: node.namedChildren };
    const kind = TYPE_NODES[node.type];
    if (kind) return readContainer(node, kind);
    const form = MEMBER_NODES[node.type];
    if (!form) return buildStatement('other');
    const memberKind = form === 'method' ? 'method' : 'property';
    return readCallable(node, { names: namesOf(node), kind: memberKind, form });
  },
};

function namesOf(node: Node): string[] {
  const declarators = node
    .childrenForFieldName('declarator')
    .flatMap((child) => (child ? [nameOf(child)] : []));
  return declarators.length > 0 ? declarators : [nameOf(node)];
}
