import type { Node } from 'web-tree-sitter';
import type { DefinitionKind } from '../types.ts';
import {
  readCallable,
  childOf,
  buildDefinition,
  fieldOf,
  buildStatement,
  type NodeReading,
  type LanguageRules,
} from './language-rules.ts';

const GROUPED_DECLARATIONS = new Set(['type_declaration', 'const_declaration', 'var_declaration']);
const SPEC_NODES = new Set(['type_spec', 'type_alias', 'const_spec', 'var_spec']);

export const go: LanguageRules = {
  decorators: new Set(),
  strings: new Set(['raw_string_literal']),
  nested: new Set(),
  readNode(node, outerKind): NodeReading {
    if (node.type === 'comment') return 'comment';
    if (node.type === 'import_declaration') return 'import';
    if (node.type === 'package_clause') return buildStatement('package');
    if (node.type === 'function_declaration') return readCallable(node, { kind: 'function' });
    if (node.type === 'method_declaration') {
      const container = receiverTypeOf(fieldOf(node, 'receiver'));
      return readCallable(node, { kind: 'method', container });
    }
    if (GROUPED_DECLARATIONS.has(node.type)) return readDeclaration(node);
    if (SPEC_NODES.has(node.type)) return readSpec(node);
    if (outerKind === 'interface' || outerKind === 'class') return readMember(node);
    return node.isNamed ? buildStatement('other') : 'nothing';
  },
};

/** Returns the type of a receiver: `Stack` for `(s *Stack[T])`. */
const receiverTypeOf = (list: Node | null): string | undefined =>
  /\*?\s*([\p{L}_][\p{L}\p{N}_]*)\s*(\[[^\]]*\])?\s*\)$/u.exec(list?.text ?? '')?.[1];

function readDeclaration(node: Node): NodeReading {
  const list = childOf(node, 'var_spec_list');
  const isGroup = list !== null || node.children.some((child) => child.type === '(');
  const specs = (list ?? node).namedChildren.filter((child) => SPEC_NODES.has(child.type));
  const [only] = specs;
  if (!isGroup && only) return readSpec(only);
  const names = specs.flatMap(namesOf);
  return buildDefinition({ names, kind: 'group', body: list ?? node, members: list ?? node });
}

const namesOf = (node: Node): string[] =>
  node.childrenForFieldName('name').flatMap((child) => (child?.isNamed ? [child.text] : []));

function readSpec(node: Node): NodeReading {
  const names = namesOf(node);
  const type = fieldOf(node, 'type');
  if (node.type === 'type_spec' || node.type === 'type_alias') {
    const fields = childOf(type, 'field_declaration_list');
    const kinds: Record<string, DefinitionKind> = { struct_type: 'class', interface_type: 'interface' };
    const kind = kinds[type?.type ?? ''] ?? 'type';
    const members = kind === 'class' ? fields : kind === 'interface' ? type : null;
    return buildDefinition({ names, kind, body: members, members });
  }
  return buildDefinition({ names, kind: 'constant', form: 'variable', value: fieldOf(node, 'value') });
}

function readMember(node: Node): NodeReading {
  const names = namesOf(node);
  if (node.type === 'field_declaration')
    return buildDefinition({
      names: names.length > 0 ? names : [node.text],
      kind: 'property',
      form: 'field',
    });
  if (node.type === 'method_elem' || node.type === 'method_spec')
    return buildDefinition({ names, kind: 'method', form: 'field', parameters: fieldOf(node, 'parameters') });
  return node.isNamed ? buildStatement('other') : 'nothing';
}
