import type { Node } from 'web-tree-sitter';
import type { DefinitionKind } from '../types.ts';
import { readContainer, define, field, nameIn, statement, type NodeReading, type Rules } from './reading.ts';

const TYPES: Record<string, DefinitionKind> = {
  class_specifier: 'class',
  struct_specifier: 'class',
  union_specifier: 'class',
  enum_specifier: 'enum',
  namespace_definition: 'module',
};
/** Types of nodes whose content counts as part of the surrounding level. */
const CONDITIONS = new Set([
  'preproc_ifdef',
  'preproc_if',
  'preproc_else',
  'preproc_elif',
  'linkage_specification',
]);

export const cpp: Rules = {
  decorators: new Set(['attribute_declaration']),
  strings: new Set(['string_literal', 'raw_string_literal']),
  nested: new Set(),
  read(node, inside): NodeReading {
    if (node.type === 'comment') return 'comment';
    if (node.type === 'preproc_include' || node.type === 'using_declaration') return 'import';
    if (CONDITIONS.has(node.type)) return { is: 'through', children: contentOf(node) };
    if (node.type === 'template_declaration') {
      const inner = node.namedChildren.at(-1);
      return inner ? cpp.read(inner, inside) : statement('other');
    }
    if (node.type === 'preproc_def' || node.type === 'preproc_function_def')
      return define({ names: [nameIn(node)], kind: 'constant', parameters: field(node, 'parameters') });
    if (node.type === 'function_definition') return functionOf(node, field(node, 'body'), inside);
    if (node.type === 'declaration' || node.type === 'field_declaration')
      return readDeclaration(node, inside);
    if (node.type === 'type_definition' || node.type === 'alias_declaration')
      return define({
        names: [(field(node, 'declarator') ?? field(node, 'name'))?.text ?? ''],
        kind: 'type',
      });
    if (node.type === 'enumerator') return define({ names: [nameIn(node)], kind: 'property', form: 'field' });
    const kind = TYPES[node.type];
    if (kind && field(node, 'body')) return readContainer(node, kind);
    if (node.type === 'expression_statement') return statement('call');
    return node.isNamed && node.type !== 'access_specifier' ? statement('other') : 'nothing';
  },
};

function contentOf(node: Node): Node[] {
  if (node.type === 'linkage_specification') return field(node, 'body')?.namedChildren ?? [];
  const heads = [field(node, 'name'), field(node, 'condition')].map((head) => head?.id);
  return node.namedChildren.filter((child) => !heads.includes(child.id));
}

/** Returns the declarator of the function, inside pointers and references. */
function callableIn(node: Node | null): Node | null {
  let at = node;
  for (let depth = 0; at && depth < 8; depth += 1) {
    if (at.type === 'function_declarator') return at;
    at =
      field(at, 'declarator') ??
      (at.type === 'reference_declarator' ? (at.namedChildren.at(-1) ?? null) : null);
  }
  return null;
}

function functionOf(node: Node, body: Node | null, inside: DefinitionKind | undefined): NodeReading {
  const declarator = callableIn(field(node, 'declarator'));
  const full =
    field(declarator, 'declarator')?.text.replaceAll(/\s+/g, '') ?? field(node, 'declarator')?.text ?? '';
  const at = full.lastIndexOf('::');
  const container = at > 0 ? full.slice(0, at).replaceAll('::', '.').replace(/<.*>$/, '') : undefined;
  const isMember = inside === 'class' || container !== undefined;
  return define({
    names: [at > 0 ? full.slice(at + 2) : full],
    kind: isMember ? 'method' : 'function',
    form: inside === 'class' ? 'method' : 'declaration',
    container,
    body,
    parameters: field(declarator, 'parameters'),
  });
}

function readDeclaration(node: Node, inside: DefinitionKind | undefined): NodeReading {
  if (callableIn(field(node, 'declarator'))) return functionOf(node, null, inside);
  const type = field(node, 'type');
  const declarators = node
    .childrenForFieldName('declarator')
    .flatMap((child) => (child ? [variableIn(child)] : []));
  if (declarators.length === 0 && type) return cpp.read(type, inside);
  return define({
    names: declarators,
    kind: inside === 'class' ? 'property' : 'constant',
    form: inside === 'class' ? 'field' : 'variable',
  });
}

function variableIn(node: Node): string {
  let at: Node = node;
  for (let depth = 0; depth < 8; depth += 1) {
    const inner = field(at, 'declarator');
    if (!inner) break;
    at = inner;
  }
  return at.text;
}
