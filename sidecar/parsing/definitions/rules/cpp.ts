import type { Node } from 'web-tree-sitter';
import type { DefinitionKind } from '../types.ts';
import {
  readContainer,
  buildDefinition,
  fieldOf,
  nameOf,
  buildStatement,
  type NodeReading,
  type LanguageRules,
} from './language-rules.ts';

const TYPE_NODES: Record<string, DefinitionKind> = {
  class_specifier: 'class',
  struct_specifier: 'class',
  union_specifier: 'class',
  enum_specifier: 'enum',
  namespace_definition: 'module',
};
/** Types of nodes for conditional compilation, whose content counts as part of the level around them. */
const CONDITIONAL_NODES = new Set([
  'preproc_ifdef',
  'preproc_if',
  'preproc_else',
  'preproc_elif',
  'linkage_specification',
]);

export const cpp: LanguageRules = {
  decorators: new Set(['attribute_declaration']),
  strings: new Set(['string_literal', 'raw_string_literal']),
  nested: new Set(),
  readNode(node, outerKind): NodeReading {
    if (node.type === 'comment') return 'comment';
    if (node.type === 'preproc_include' || node.type === 'using_declaration') return 'import';
    if (CONDITIONAL_NODES.has(node.type)) return { is: 'through', children: contentOf(node) };
    if (node.type === 'template_declaration') {
      const inner = node.namedChildren.at(-1);
      return inner ? cpp.readNode(inner, outerKind) : buildStatement('other');
    }
    if (node.type === 'preproc_def' || node.type === 'preproc_function_def')
      return buildDefinition({
        names: [nameOf(node)],
        kind: 'constant',
        parameters: fieldOf(node, 'parameters'),
      });
    if (node.type === 'function_definition') return readFunction(node, fieldOf(node, 'body'), outerKind);
    if (node.type === 'declaration' || node.type === 'field_declaration')
      return readDeclaration(node, outerKind);
    if (node.type === 'type_definition' || node.type === 'alias_declaration')
      return buildDefinition({
        names: [(fieldOf(node, 'declarator') ?? fieldOf(node, 'name'))?.text ?? ''],
        kind: 'type',
      });
    if (node.type === 'enumerator')
      return buildDefinition({ names: [nameOf(node)], kind: 'property', form: 'field' });
    const kind = TYPE_NODES[node.type];
    if (kind && fieldOf(node, 'body')) return readContainer(node, kind);
    if (node.type === 'expression_statement') return buildStatement('call');
    return node.isNamed && node.type !== 'access_specifier' ? buildStatement('other') : 'nothing';
  },
};

function contentOf(node: Node): Node[] {
  if (node.type === 'linkage_specification') return fieldOf(node, 'body')?.namedChildren ?? [];
  const headIds = [fieldOf(node, 'name'), fieldOf(node, 'condition')].map((head) => head?.id);
  return node.namedChildren.filter((child) => !headIds.includes(child.id));
}

/** Returns the declarator of the function, which may be nested in pointers and references. */
function findFunctionDeclarator(node: Node | null): Node | null {
  let current = node;
  for (let depth = 0; current && depth < 8; depth += 1) {
    if (current.type === 'function_declarator') return current;
    current =
      fieldOf(current, 'declarator') ??
      (current.type === 'reference_declarator' ? (current.namedChildren.at(-1) ?? null) : null);
  }
  return null;
}

function readFunction(node: Node, body: Node | null, outerKind: DefinitionKind | undefined): NodeReading {
  const declarator = findFunctionDeclarator(fieldOf(node, 'declarator'));
  const fullName =
    fieldOf(declarator, 'declarator')?.text.replaceAll(/\s+/g, '') ?? fieldOf(node, 'declarator')?.text ?? '';
  const separatorIndex = fullName.lastIndexOf('::');
  const container =
    separatorIndex > 0
      ? fullName.slice(0, separatorIndex).replaceAll('::', '.').replace(/<.*>$/, '')
      : undefined;
  const isMember = outerKind === 'class' || container !== undefined;
  return buildDefinition({
    names: [separatorIndex > 0 ? fullName.slice(separatorIndex + 2) : fullName],
    kind: isMember ? 'method' : 'function',
    form: outerKind === 'class' ? 'method' : 'declaration',
    container,
    body,
    parameters: fieldOf(declarator, 'parameters'),
  });
}

function readDeclaration(node: Node, outerKind: DefinitionKind | undefined): NodeReading {
  if (findFunctionDeclarator(fieldOf(node, 'declarator'))) return readFunction(node, null, outerKind);
  const type = fieldOf(node, 'type');
  const declarators = node
    .childrenForFieldName('declarator')
    .flatMap((child) => (child ? [variableNameOf(child)] : []));
  if (declarators.length === 0 && type) return cpp.readNode(type, outerKind);
  return buildDefinition({
    names: declarators,
    kind: outerKind === 'class' ? 'property' : 'constant',
    form: outerKind === 'class' ? 'field' : 'variable',
  });
}

function variableNameOf(node: Node): string {
  let current: Node = node;
  for (let depth = 0; depth < 8; depth += 1) {
    const inner = fieldOf(current, 'declarator');
    if (!inner) break;
    current = inner;
  }
  return current.text;
}
