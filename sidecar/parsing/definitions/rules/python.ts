import type { Node } from 'web-tree-sitter';
import type { DefinitionKind } from '../types.ts';
import {
  readCallable,
  readContainer,
  buildDefinition,
  fieldOf,
  buildStatement,
  type NodeReading,
  type LanguageRules,
} from './language-rules.ts';

const IMPORT_NODES = new Set(['import_statement', 'import_from_statement', 'future_import_statement']);

export const python: LanguageRules = {
  decorators: new Set(['decorator']),
  strings: new Set(['string']),
  nested: new Set(['function_definition', 'decorated_definition', 'class_definition']),
  readNode(node, outerKind): NodeReading {
    if (node.type === 'comment') return 'comment';
    if (IMPORT_NODES.has(node.type)) return 'import';
    if (node.type === 'decorated_definition') {
      const inner = fieldOf(node, 'definition');
      return inner ? readDeclaration(inner, outerKind) : buildStatement('other');
    }
    if (node.type === 'function_definition' || node.type === 'class_definition')
      return readDeclaration(node, outerKind);
    if (node.type === 'type_alias_statement')
      return buildDefinition({ names: [fieldOf(node, 'left')?.text ?? ''], kind: 'type' });
    if (node.type === 'expression_statement') return readExpression(node, outerKind);
    if (node.type === 'if_statement' && fieldOf(node, 'condition')?.text.includes('__name__'))
      return buildStatement('main');
    return buildStatement('other');
  },
};

function readDeclaration(node: Node, outerKind: DefinitionKind | undefined): NodeReading {
  if (node.type === 'class_definition') return readContainer(node, 'class');
  return outerKind === 'class'
    ? readCallable(node, { kind: 'method', form: 'method' })
    : readCallable(node, { kind: 'function' });
}

function readExpression(node: Node, outerKind: DefinitionKind | undefined): NodeReading {
  const [inner] = node.namedChildren;
  if (inner?.type === 'string') return buildStatement('documentation');
  if (inner?.type === 'call') return buildStatement('call');
  if (inner?.type !== 'assignment') return buildStatement('other');
  const left = fieldOf(inner, 'left');
  const name = left?.text.replaceAll(/\s+/g, '') ?? '';
  if (name === '__all__') return buildStatement('exports');
  const names = left?.type === 'pattern_list' ? left.namedChildren.map((child) => child.text) : [name];
  return buildDefinition({
    names,
    kind: outerKind === 'class' ? 'property' : 'constant',
    form: outerKind === 'class' ? 'field' : 'variable',
    value: fieldOf(inner, 'right'),
  });
}
