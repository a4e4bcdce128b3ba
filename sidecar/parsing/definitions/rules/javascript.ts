/** Rules of JavaScript, TypeScript and TSX. */
import type { Node } from 'web-tree-sitter';
import type { DefinitionForm, DefinitionKind } from '../types.ts';
import {
  buildDefinition,
  fieldOf,
  matchOf,
  nameOf,
  buildStatement,
  type RuleMatch,
  type NodeReading,
  type LanguageRules,
} from './language-rules.ts';

const FUNCTION_NODES = new Set(['arrow_function', 'function_expression', 'generator_function']);
/** Types of expressions around a value that do not change the kind of the value. */
const WRAPPER_NODES = new Set(['parenthesized_expression', 'as_expression', 'satisfies_expression']);

const DECLARATION_NODES: Record<string, DefinitionKind> = {
  function_declaration: 'function',
  generator_function_declaration: 'function',
  function_signature: 'function',
  class_declaration: 'class',
  abstract_class_declaration: 'class',
  interface_declaration: 'interface',
  type_alias_declaration: 'type',
  enum_declaration: 'enum',
  internal_module: 'module',
  module: 'module',
};

const MEMBER_NODES: Record<string, DefinitionForm> = {
  method_definition: 'method',
  method_signature: 'method',
  abstract_method_signature: 'method',
  field_definition: 'field',
  public_field_definition: 'field',
  property_signature: 'field',
};

export const javascript: LanguageRules = {
  decorators: new Set(['decorator']),
  strings: new Set(['template_string', 'string', 'jsx_text']),
  nested: new Set([
    'function_declaration',
    'generator_function_declaration',
    'class_declaration',
    'lexical_declaration',
    'variable_declaration',
  ]),
  readNode(node, outerKind): NodeReading {
    if (node.type === 'comment' || node.type === 'hash_bang_line' || node.type === 'html_comment')
      return 'comment';
    if (node.type === 'decorator') return 'leading';
    if (node.type === 'import_statement' || node.type === 'import_alias') return 'import';
    if (node.type === 'empty_statement') return 'nothing';
    if (node.type === 'export_statement') return readExport(node);
    if (node.type === 'expression_statement') return readExpression(node);
    if (node.type === 'ambient_declaration') {
      const [inner] = node.namedChildren;
      return (inner && readDeclaration(inner)) ?? buildStatement('other');
    }
    if (outerKind === 'enum') return readEnumMember(node);
    return readDeclaration(node) ?? readMember(node) ?? buildStatement('other');
  },
};

function readExport(node: Node): NodeReading {
  const inner = fieldOf(node, 'declaration');
  const match = matchOf(inner && inner.type !== 'ambient_declaration' ? readDeclaration(inner) : null);
  if (match) return buildDefinition({ ...match });
  const value = fieldOf(node, 'value');
  if (value) return buildDefinition({ ...readValue(value), names: ['default'], form: 'assignment' });
  return buildStatement('exports');
}

function readDeclaration(node: Node): NodeReading | undefined {
  if (node.type === 'lexical_declaration' || node.type === 'variable_declaration') return readVariables(node);
  const kind = DECLARATION_NODES[node.type];
  if (!kind) return undefined;
  const body = fieldOf(node, 'body') ?? (kind === 'type' ? objectTypeOf(node) : null);
  const isContainer = kind !== 'function' && body !== null;
  return buildDefinition({
    names: [nameOf(node) || 'default'],
    kind,
    body,
    members: isContainer ? body : null,
    separator: kind === 'enum' ? ',' : undefined,
    parameters: fieldOf(node, 'parameters'),
  });
}

function objectTypeOf(node: Node): Node | null {
  const value = fieldOf(node, 'value');
  return value?.type === 'object_type' ? value : null;
}

function readVariables(node: Node): NodeReading {
  const declarators = node.namedChildren.filter((child) => child.type === 'variable_declarator');
  const [only] = declarators;
  const value = fieldOf(only, 'value');
  if (declarators.length > 0 && declarators.every((declarator) => isRequire(fieldOf(declarator, 'value'))))
    return 'import';
  const names = declarators.flatMap((declarator) => findBoundNames(fieldOf(declarator, 'name')));
  if (declarators.length !== 1 || !value)
    return buildDefinition({ names, kind: 'constant', form: 'variable' });
  return buildDefinition({ ...readValue(value), names, form: 'variable' });
}

const isRequire = (value: Node | null): boolean =>
  value !== null && /^require\s*\(\s*['"`][^)]*\)(\.\w+)?$/.test(value.text.slice(0, 300));

function findBoundNames(pattern: Node | null): string[] {
  if (!pattern) return [];
  if (pattern.type === 'identifier' || pattern.type === 'shorthand_property_identifier_pattern')
    return [pattern.text];
  if (pattern.type === 'pair_pattern') return findBoundNames(fieldOf(pattern, 'value'));
  if (pattern.type === 'object_assignment_pattern' || pattern.type === 'assignment_pattern')
    return findBoundNames(fieldOf(pattern, 'left'));
  return pattern.namedChildren.flatMap(findBoundNames);
}

/** Returns the kind and the parts of the definition that assigns this value. */
function readValue(outer: Node): Omit<RuleMatch, 'names'> {
  let value: Node = outer;
  for (let depth = 0; depth < 5 && WRAPPER_NODES.has(value.type); depth += 1) {
    const [inner] = value.namedChildren;
    if (!inner) break;
    value = inner;
  }
  const common = { value: outer, parameters: fieldOf(value, 'parameters') ?? fieldOf(value, 'parameter') };
  if (FUNCTION_NODES.has(value.type)) {
    const body = fieldOf(value, 'body');
    return { ...common, kind: 'function', body };
  }
  if (value.type === 'class')
    return { ...common, kind: 'class', body: fieldOf(value, 'body'), members: fieldOf(value, 'body') };
  if (value.type === 'object')
    return { ...common, kind: 'object', body: value, members: value, separator: ',' };
  return { ...common, kind: 'constant' };
}

function readExpression(node: Node): NodeReading {
  const [inner] = node.namedChildren;
  if (!inner) return 'nothing';
  if (inner.type === 'assignment_expression') return readAssignment(inner);
  if (inner.type === 'internal_module') return readDeclaration(inner) ?? buildStatement('other');
  if (inner.type === 'string') return buildStatement('other');
  if (inner.type === 'call_expression' || inner.type === 'await_expression') return readCall(inner);
  return buildStatement('other');
}

function readAssignment(node: Node): NodeReading {
  const left = fieldOf(node, 'left')?.text.replaceAll(/\s+/g, '') ?? '';
  const right = fieldOf(node, 'right');
  if (!right || left === '') return buildStatement('other');
  const value = readValue(right);
  if (left === 'module.exports') {
    if (isExportList(right)) return buildStatement('exports');
    const inner = nameOf(right);
    return buildDefinition({ ...value, names: inner ? [left, inner] : [left], form: 'assignment' });
  }
  const [, exports] = /^(?:module\.)?exports\.([\w$]+)$/.exec(left) ?? [];
  if (exports !== undefined) {
    if (right.type === 'identifier' && right.text === exports) return buildStatement('exports');
    return buildDefinition({ ...value, names: [exports], form: 'assignment' });
  }
  const [, owner, name] = /^([\w$.]+?)(?:\.prototype)?\.([\w$]+)$/.exec(left) ?? [];
  if (owner !== undefined && name !== undefined) {
    const kind = value.kind === 'function' ? 'method' : value.kind;
    const isPrototype = left === `${owner}.prototype.${name}`;
    return buildDefinition({
      ...value,
      kind,
      names: [name],
      form: 'assignment',
      container: owner,
      variant: isPrototype ? undefined : 'static',
    });
  }
  return buildDefinition({ ...value, names: [left], form: 'assignment' });
}

/** Returns whether an expression only exports names that are defined elsewhere in the file. */
function isExportList(node: Node): boolean {
  if (node.type === 'identifier') return true;
  if (node.type !== 'object') return false;
  return node.namedChildren.every(
    (child) =>
      child.type === 'shorthand_property_identifier' ||
      child.type === 'comment' ||
      child.type === 'spread_element' ||
      (child.type === 'pair' &&
        ['identifier', 'member_expression'].includes(fieldOf(child, 'value')?.type ?? '')),
  );
}

/** Reads a call with a name and a function as arguments, such as a route or a test, as a definition of that name. */
function readCall(outer: Node): NodeReading {
  const node = outer.type === 'await_expression' ? (outer.namedChildren[0] ?? outer) : outer;
  const list = fieldOf(node, 'arguments')?.namedChildren ?? [];
  const [first] = list;
  const last = list.at(-1);
  const isNamed = first?.type === 'string' || first?.type === 'template_string';
  if (!first || !last || !isNamed || !FUNCTION_NODES.has(last.type)) return buildStatement('call');
  const name = `${fieldOf(node, 'function')?.text ?? ''}(${first.text.slice(1, -1)})`;
  return buildDefinition({ names: [name], kind: 'call', form: 'assignment', body: fieldOf(last, 'body') });
}

function readEnumMember(node: Node): NodeReading {
  if (node.type === 'enum_assignment')
    return buildDefinition({ names: [nameOf(node)], kind: 'property', form: 'field' });
  return buildDefinition({ names: [node.text], kind: 'property', form: 'field' });
}

function readMember(node: Node): NodeReading | undefined {
  if (node.type === 'pair') {
    const name = keyOf(fieldOf(node, 'key'));
    const value = fieldOf(node, 'value');
    const match: Omit<RuleMatch, 'names'> = value ? readValue(value) : { kind: 'property' };
    const kind = match.kind === 'constant' ? 'property' : match.kind === 'function' ? 'method' : match.kind;
    return buildDefinition({ ...match, kind, names: [name], form: 'pair' });
  }
  if (node.type === 'shorthand_property_identifier')
    return buildDefinition({ names: [node.text], kind: 'property', form: 'pair' });
  const form = MEMBER_NODES[node.type];
  if (!form) return undefined;
  const name = keyOf(fieldOf(node, 'name') ?? fieldOf(node, 'property'));
  const variant = [...node.children]
    .map((child) => child.type)
    .filter((type) => ['static', 'get', 'set'].includes(type))
    .join(' ');
  const value = fieldOf(node, 'value');
  const isFunction = value !== null && FUNCTION_NODES.has(value.type);
  return buildDefinition({
    names: [name],
    kind: form === 'method' || isFunction ? 'method' : 'property',
    form,
    variant: variant || undefined,
    value: form === 'field' ? value : null,
    body: fieldOf(isFunction ? value : node, 'body'),
    parameters: fieldOf(isFunction ? value : node, 'parameters'),
  });
}

const keyOf = (node: Node | null): string => node?.text.replace(/^(['"])(.*)\1$/, '$2') ?? '';
