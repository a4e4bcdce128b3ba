import type { Node } from 'web-tree-sitter';
import type { DefinitionKind } from '../types.ts';
import {
  readCallable,
  readContainer,
  define,
  field,
  statement,
  type NodeReading,
  type Rules,
} from './reading.ts';

const IMPORTS = new Set(['import_statement', 'import_from_statement', 'future_import_statement']);

export const python: Rules = {
  decorators: new Set(['decorator']),
  strings: new Set(['string']),
  nested: new Set(['function_definition', 'decorated_definition', 'class_definition']),
  read(node, inside): NodeReading {
    if (node.type === 'comment') return 'comment';
    if (IMPORTS.has(node.type)) return 'import';
    if (node.type === 'decorated_definition') {
      const inner = field(node, 'definition');
      return inner ? readDeclaration(inner, inside) : statement('other');
    }
    if (node.type === 'function_definition' || node.type === 'class_definition')
      return readDeclaration(node, inside);
    if (node.type === 'type_alias_statement')
      return define({ names: [field(node, 'left')?.text ?? ''], kind: 'type' });
    if (node.type === 'expression_statement') return readExpression(node, inside);
    if (node.type === 'if_statement' && field(node, 'condition')?.text.includes('__name__'))
      return statement('main');
    return statement('other');
  },
};

function readDeclaration(node: Node, inside: DefinitionKind | undefined): NodeReading {
  if (node.type === 'class_definition') return readContainer(node, 'class');
  return inside === 'class'
    ? readCallable(node, { kind: 'method', form: 'method' })
    : readCallable(node, { kind: 'function' });
}

function readExpression(node: Node, inside: DefinitionKind | undefined): NodeReading {
  const [inner] = node.namedChildren;
  if (inner?.type === 'string') return statement('documentation');
  if (inner?.type === 'call') return statement('call');
  if (inner?.type !== 'assignment') return statement('other');
  const left = field(inner, 'left');
  const name = left?.text.replaceAll(/\s+/g, '') ?? '';
  if (name === '__all__') return statement('exports');
  const names = left?.type === 'pattern_list' ? left.namedChildren.map((child) => child.text) : [name];
  return define({
    names,
    kind: inside === 'class' ? 'property' : 'constant',
    form: inside === 'class' ? 'field' : 'variable',
    value: field(inner, 'right'),
  });
}
