/**
 * Names that a function uses and does not have, while all that call it have them: a small model writes a helper as if it
 * stood in its caller. Such a name becomes a parameter. For languages that look up a name when they meet it and where a
 * parameter needs no type.
 */
import type { Node, Tree } from 'web-tree-sitter';
import { TextEdits } from '../values/text-edits.ts';
import { withTree } from './grammars.ts';
import type { Language } from './languages.ts';

/** A longer text is no helper beside its caller. */
const MAX_CHARS = 200_000;
const MAX_PASSED = 4;

interface Grammar {
  functions: ReadonlySet<string>;
  call: string;
  /** Nodes that bind names: in the field that holds these, in the whole of it where that is empty. */
  binds: ReadonlyMap<string, string>;
  /** Members and the like: identifiers in this field of that node are no variables. */
  members: ReadonlyMap<string, string>;
  /** A last parameter behind which none may stand. */
  takesRest: string;
  /** Given by name, an argument may follow any others, and a parameter after one with a default has to have one. */
  isByName: boolean;
}

const GRAMMARS: Partial<Record<Language, Grammar>> = {
  javascript: {
    functions: new Set([
      'function_declaration',
      'generator_function_declaration',
      'function_expression',
      'arrow_function',
      'method_definition',
    ]),
    call: 'call_expression',
    binds: new Map([
      ['variable_declarator', 'name'],
      ['function_declaration', 'name'],
      ['generator_function_declaration', 'name'],
      ['function_expression', 'name'],
      ['class_declaration', 'name'],
      ['catch_clause', 'parameter'],
      ['for_in_statement', 'left'],
      ['arrow_function', 'parameter'],
      ['formal_parameters', ''],
      ['import_clause', ''],
    ]),
    members: new Map(),
    takesRest: 'rest_pattern',
    isByName: false,
  },
  python: {
    functions: new Set(['function_definition', 'lambda']),
    call: 'call',
    binds: new Map([
      ['assignment', 'left'],
      ['augmented_assignment', 'left'],
      ['named_expression', 'name'],
      ['for_statement', 'left'],
      ['for_in_clause', 'left'],
      ['as_pattern', 'alias'],
      ['function_definition', 'name'],
      ['class_definition', 'name'],
      ['case_pattern', ''],
      ['parameters', ''],
      ['lambda_parameters', ''],
      ['import_statement', ''],
      ['import_from_statement', ''],
      ['global_statement', ''],
      ['nonlocal_statement', ''],
    ]),
    members: new Map([
      ['attribute', 'attribute'],
      ['keyword_argument', 'name'],
    ]),
    takesRest: 'dictionary_splat_pattern',
    isByName: true,
  },
};

/** The text with such names handed over; the same text where there are none, or where that cannot be told. */
export async function withNamesPassed(language: Language, text: string): Promise<string> {
  const grammar = GRAMMARS[language];
  if (!grammar || text.length > MAX_CHARS) return text;
  const insertions = await withTree(language, text, (tree) =>
    insertionsFor(scopesOf(tree, grammar), grammar),
  );
  const edits = new TextEdits();
  for (const { at, added } of insertions ?? []) edits.insert(at, added);
  return edits.apply(text);
}

/** A function, or the file. */
interface Scope {
  parent?: Scope;
  /** How it is called. */
  name?: string;
  parameters?: List;
  bound: Set<string>;
  used: Set<string>;
}

/** Parameters or arguments, by what they are in the tree. `end`: in front of the closing bracket. */
interface List {
  end: number;
  parts: readonly string[];
  separator: string;
}

interface Call {
  callee: string;
  from: Scope;
  given: List;
}

interface Scopes {
  functions: Scope[];
  calls: Call[];
}

function scopesOf(tree: Tree, grammar: Grammar): Scopes {
  const file: Scope = { bound: new Set(), used: new Set() };
  const scopes: Scopes = { functions: [], calls: [] };
  const waiting: { node: Node; scope: Scope; binds: boolean }[] = [
    { node: tree.rootNode, scope: file, binds: false },
  ];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, scope, binds } = next;
    if (node.type.endsWith('identifier') || node.type.endsWith('identifier_pattern')) {
      const isProperty = node.type === 'property_identifier';
      if (!isProperty) (binds ? scope.bound : scope.used).add(node.text);
      continue;
    }
    const inner = grammar.functions.has(node.type) ? functionAt(node, scope) : scope;
    if (inner !== scope) scopes.functions.push(inner);
    const call = node.type === grammar.call ? callAt(node, scope) : undefined;
    if (call) scopes.calls.push(call);
    const bound = grammar.binds.get(node.type);
    const member = node.childForFieldName(grammar.members.get(node.type) ?? '')?.id;
    const name = node.childForFieldName('name')?.id;
    const binding = bound ? node.childForFieldName(bound)?.id : undefined;
    for (const child of node.namedChildren.toReversed()) {
      if (!child || child.id === member) continue;
      // The name of a function belongs to what it stands in.
      const owner = inner !== scope && child.id === name ? scope : inner;
      waiting.push({ node: child, scope: owner, binds: binds || bound === '' || child.id === binding });
    }
  }
  return scopes;
}

function functionAt(node: Node, parent: Scope): Scope {
  const { parent: around } = node;
  const holder = around?.type === 'variable_declarator' ? around : node;
  const isMethod = node.type === 'method_definition' || around?.parent?.type === 'class_definition';
  const name = isMethod ? undefined : holder.childForFieldName('name')?.text;
  const parameters = listAt(node.childForFieldName('parameters'));
  const scope: Scope = { parent, bound: new Set(), used: new Set() };
  return { ...scope, ...(name !== undefined && { name }), ...(parameters && { parameters }) };
}

function callAt(node: Node, from: Scope): Call | undefined {
  const callee = node.childForFieldName('function');
  const given = listAt(node.childForFieldName('arguments'));
  return callee?.type === 'identifier' && given ? { callee: callee.text, from, given } : undefined;
}

function listAt(node: Node | null): List | undefined {
  if (!node?.text.endsWith(')')) return undefined;
  const parts = node.namedChildren.flatMap((child) =>
    child && child.type !== 'comment' ? [child.type] : [],
  );
  const isOpen = parts.length === 0 || /,\s*\)$/u.test(node.text);
  return { end: node.endIndex - 1, parts, separator: isOpen ? '' : ', ' };
}

interface Insertion {
  at: number;
  added: string;
}

function insertionsFor({ functions, calls }: Scopes, grammar: Grammar): Insertion[] {
  const passed = new Map<Scope, Set<string>>();
  for (const user of functions) {
    for (const name of user.used) {
      if (sees(user, name)) continue;
      const taker = withOuter(user).find((scope) => canTake(scope, name, { functions, calls }, grammar));
      if (taker) passed.set(taker, (passed.get(taker) ?? new Set()).add(name));
    }
  }
  return [...passed].flatMap(([{ name: callee, parameters }, names]) => {
    if (!parameters || names.size > MAX_PASSED) return [];
    const { isByName } = grammar;
    const needsDefault = isByName && parameters.parts.some((part) => part.includes('default'));
    return [
      insertion(
        parameters,
        [...names].map((name) => (needsDefault ? `${name}=None` : name)),
      ),
      ...calls
        .filter((call) => call.callee === callee)
        .map(({ given }) =>
          insertion(
            given,
            [...names].map((name) => (isByName ? `${name}=${name}` : name)),
          ),
        ),
    ];
  });
}

const insertion = ({ end, separator }: List, added: readonly string[]): Insertion => ({
  at: end,
  added: separator + added.join(', '),
});

/** Whether all that call the function from outside of it have the name, and can hand it over. */
function canTake(scope: Scope, name: string, { functions, calls }: Scopes, grammar: Grammar): boolean {
  const { name: callee, parameters } = scope;
  if (callee === undefined || !parameters || parameters.parts.includes(grammar.takesRest)) return false;
  if (functions.some((other) => other !== scope && other.name === callee)) return false;
  const own = calls.filter((call) => call.callee === callee);
  const outside = own.filter(({ from }) => !withOuter(from).includes(scope));
  const isGiven = ({ given }: Call): boolean =>
    grammar.isByName ||
    (given.parts.length === parameters.parts.length && !given.parts.includes('spread_element'));
  return outside.length > 0 && outside.every(({ from }) => sees(from, name)) && own.every(isGiven);
}

const sees = (scope: Scope, name: string): boolean => withOuter(scope).some(({ bound }) => bound.has(name));

/** The scope and those around it, innermost first. */
function withOuter(scope: Scope): Scope[] {
  const scopes: Scope[] = [];
  for (let at: Scope | undefined = scope; at; at = at.parent) scopes.push(at);
  return scopes;
}
