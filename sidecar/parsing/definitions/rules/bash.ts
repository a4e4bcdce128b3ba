import { readCallable, define, field, nameIn, statement, type NodeReading, type Rules } from './reading.ts';

export const bash: Rules = {
  decorators: new Set(),
  strings: new Set(['string', 'raw_string', 'heredoc_body']),
  nested: new Set(),
  read(node): NodeReading {
    if (node.type === 'comment') return 'comment';
    if (node.type === 'function_definition') return readCallable(node, { kind: 'function' });
    if (node.type === 'variable_assignment')
      return define({
        names: [nameIn(node)],
        kind: 'constant',
        form: 'variable',
        value: field(node, 'value'),
      });
    if (node.type === 'declaration_command') {
      const names = node.namedChildren
        .filter((child) => child.type === 'variable_assignment')
        .map((child) => nameIn(child));
      return names.length > 0 ? define({ names, kind: 'constant', form: 'variable' }) : statement('other');
    }
    if (node.type === 'command') {
      const name = nameIn(node);
      return name === 'source' || name === '.' ? 'import' : statement('call');
    }
    return node.isNamed ? statement('other') : 'nothing';
  },
};
