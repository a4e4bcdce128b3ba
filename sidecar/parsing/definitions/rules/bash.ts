import {
  readCallable,
  buildDefinition,
  fieldOf,
  nameOf,
  buildStatement,
  type NodeReading,
  type LanguageRules,
} from './language-rules.ts';

export const bash: LanguageRules = {
  decorators: new Set(),
  strings: new Set(['string', 'raw_string', 'heredoc_body']),
  nested: new Set(),
  readNode(node): NodeReading {
    if (node.type === 'comment') return 'comment';
    if (node.type === 'function_definition') return readCallable(node, { kind: 'function' });
    if (node.type === 'variable_assignment')
      return buildDefinition({
        names: [nameOf(node)],
        kind: 'constant',
        form: 'variable',
        value: fieldOf(node, 'value'),
      });
    if (node.type === 'declaration_command') {
      const names = node.namedChildren
        .filter((child) => child.type === 'variable_assignment')
        .map((child) => nameOf(child));
      return names.length > 0
        ? buildDefinition({ names, kind: 'constant', form: 'variable' })
        : buildStatement('other');
    }
    if (node.type === 'command') {
      const name = nameOf(node);
      return name === 'source' || name === '.' ? 'import' : buildStatement('call');
    }
    return node.isNamed ? buildStatement('other') : 'nothing';
  },
};
