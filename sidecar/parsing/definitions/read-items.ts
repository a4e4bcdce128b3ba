/**
 * Reads the definitions, imports and statements of a tree by a language's rules. A definition includes the
 * comments directly above it, its decorators and its `export`.
 */
import type { Node } from 'web-tree-sitter';
import { shorten } from '../../base/values/shortening.ts';
import { matchOf, type RuleMatch, type LanguageRules } from './rules/language-rules.ts';
import type { Span } from '../../base/values/span.ts';
import type { Definition, SourceItem } from './types.ts';

/** Maximum nesting depth of members that are read. */
const MAX_DEPTH = 12;
/** Maximum number of nodes in one body that are searched for nested functions. */
const MAX_NESTED_NODES = 2_000;
const MAX_SIGNATURE_CHARS = 200;

export class ItemReader {
  readonly #text: string;
  readonly #rules: LanguageRules;

  constructor(text: string, rules: LanguageRules) {
    this.#text = text;
    this.#rules = rules;
  }

  read(root: Node): SourceItem[] {
    return this.#readItems(root.namedChildren, undefined, '', 0);
  }

  #readItems(
    nodes: readonly Node[],
    owner: RuleMatch | undefined,
    container: string,
    depth: number,
  ): SourceItem[] {
    const items: SourceItem[] = [];
    let comments: Node[] = [];
    let leading: Node[] = [];
    const flushPending = (): void => {
      for (const node of [...comments, ...leading].sort((a, b) => a.startIndex - b.startIndex))
        if (comments.includes(node)) items.push({ type: 'comment', ...spanOf(node) });
        else items.push({ type: 'statement', role: 'other', ...spanOf(node) });
      comments = [];
      leading = [];
    };
    let previousEnd = -1;
    for (const node of nodes) {
      const reading = this.#rules.readNode(node, owner?.kind);
      if (reading === 'comment') {
        const startsLine = node.startPosition.row !== previousEnd;
        if (!startsLine || (comments.length > 0 && !this.#isAdjacent(comments.at(-1), node))) flushPending();
        if (startsLine) comments.push(node);
        else items.push({ type: 'comment', ...spanOf(node) });
        previousEnd = lastRowOf(node);
        continue;
      }
      if (reading === 'leading') {
        if (leading.length === 0 && comments.length > 0 && !this.#isAdjacent(comments.at(-1), node))
          flushPending();
        leading.push(node);
        continue;
      }
      previousEnd = lastRowOf(node);
      if (reading === 'nothing') continue;
      if (reading !== 'import' && reading.is === 'definition') {
        if (comments.length > 0 && !this.#isAdjacent(comments.at(-1), leading[0] ?? node)) {
          const pendingLeading = leading;
          leading = [];
          flushPending();
          leading = pendingLeading;
        }
        const definition = this.#readDefinition(node, reading.match, { comments, leading, container, depth });
        items.push({ type: 'definition', definition });
        comments = [];
        leading = [];
        continue;
      }
      flushPending();
      if (reading === 'import') items.push({ type: 'import', ...this.#spanOf(node) });
      else if (reading.is === 'through')
        for (const item of this.#readItems(reading.children, owner, container, depth + 1)) items.push(item);
      else items.push({ type: 'statement', role: reading.role, ...this.#spanOf(node) });
    }
    flushPending();
    return items;
  }

  /** Returns whether no blank line separates two nodes. */
  #isAdjacent(above: Node | undefined, below: Node): boolean {
    return above !== undefined && below.startPosition.row - lastRowOf(above) <= 1;
  }

  #readDefinition(
    node: Node,
    match: RuleMatch,
    context: { comments: readonly Node[]; leading: readonly Node[]; container: string; depth: number },
  ): Definition {
    const { comments, leading, container, depth } = context;
    const startPositions = this.#startsOf(node);
    const decoratorsStart = leading[0]?.startIndex ?? startPositions.decorators;
    const start = comments[0]?.startIndex ?? decoratorsStart;
    const { end } = this.#spanOf(node);
    const body = match.body ? contentOf(match.body, this.#text) : undefined;
    const [name = ''] = match.names;
    const owner = match.container ?? (container === '' ? undefined : container);
    const path = match.kind === 'group' ? container : [owner, name].filter(Boolean).join('.');
    const items =
      match.members && depth < MAX_DEPTH
        ? this.#readItems(match.members.namedChildren, match, path, depth + 1)
        : [];
    const firstLine =
      comments[0]?.startPosition.row ?? leading[0]?.startPosition.row ?? node.startPosition.row;
    return {
      name,
      names: match.names,
      kind: match.kind,
      form: match.form ?? 'declaration',
      container: owner,
      start,
      decoratorsStart,
      exportStart: startPositions.export,
      startAfterExport: startPositions.bare,
      end,
      value: match.value ? spanOf(match.value) : undefined,
      body,
      startLine: firstLine + 1,
      endLine: lastRowOf(node) + 1,
      signature: signatureOf(this.#text.slice(startPositions.bare, body?.start ?? end)),
      parameters: match.parameters?.text.replaceAll(/\s+/g, ' '),
      variant: match.variant,
      hasBody: match.body !== null && match.body !== undefined,
      separator: match.separator ?? '',
      items,
      children: [
        ...listDefinitions(items),
        ...(match.members ? [] : this.#findNestedDefinitions(match, path, depth)),
      ],
    };
  }

  /** Returns the functions and classes in the body of a function, including those in nested blocks. */
  #findNestedDefinitions(owner: RuleMatch, path: string, depth: number): Definition[] {
    if (!owner.body || this.#rules.nested.size === 0 || depth >= MAX_DEPTH) return [];
    const nested: Definition[] = [];
    const pendingNodes = [...owner.body.namedChildren].toReversed();
    for (let visited = 0; pendingNodes.length > 0 && visited < MAX_NESTED_NODES; visited += 1) {
      const node = pendingNodes.pop();
      if (!node) break;
      const reading = this.#rules.nested.has(node.type) ? this.#rules.readNode(node, undefined) : undefined;
      const match = matchOf(reading);
      if (match?.body && match.kind !== 'object') {
        const context = { comments: [], leading: [], container: path, depth: depth + 1 };
        nested.push(this.#readDefinition(node, match, context));
      } else if (STATEMENT_TYPES.test(node.type))
        for (const child of node.namedChildren.toReversed()) pendingNodes.push(child);
    }
    return nested;
  }

  /** Returns the start positions of the decorators, of `export` and of the definition itself. */
  #startsOf(node: Node): { decorators: number; export: number; bare: number } {
    const parts = node.children.flatMap((child) =>
      child.type === 'modifiers' ? [...child.children] : [child],
    );
    let index = 0;
    const skip = (isPart: (type: string) => boolean): number => {
      const from = parts[index]?.startIndex ?? node.startIndex;
      while (index < parts.length - 1 && isPart(parts[index]?.type ?? '')) index += 1;
      return from;
    };
    const decorators = skip((type) => this.#rules.decorators.has(type));
    const exportStart = skip(
      (type) => node.type === 'export_statement' && (type === 'export' || type === 'default'),
    );
    return { decorators, export: exportStart, bare: parts[index]?.startIndex ?? node.startIndex };
  }

  /**
   * Returns a node's span, including a semicolon after it, but without the line break that some grammars
   * include.
   */
  #spanOf(node: Node): Span {
    let end = node.endIndex;
    while (end > node.startIndex && /\s/.test(this.#text[end - 1] ?? '')) end -= 1;
    const [semicolon = ''] = /^[ \t]*;/.exec(this.#text.slice(end, end + 20)) ?? [];
    return { start: node.startIndex, end: end + semicolon.length };
  }
}

/** Matches types of nodes that may contain a nested function but are themselves no functions. */
const STATEMENT_TYPES = /block|statement|clause|body|suite|^if|^else|^try|^finally/;

const spanOf = (node: Node): Span => ({ start: node.startIndex, end: node.endIndex });

/** Returns the row in which a node ends. If the node ends with a line break, that is the row before the break. */
const lastRowOf = (node: Node): number =>
  node.endPosition.column === 0 && node.endPosition.row > node.startPosition.row
    ? node.endPosition.row - 1
    : node.endPosition.row;

export const listDefinitions = (items: readonly SourceItem[]): Definition[] =>
  items.flatMap((item) => (item.type === 'definition' ? [item.definition] : []));

/** Returns the span between the braces or parentheses of a node, or its whole span if it has none. */
function contentOf(node: Node, text: string): Span {
  const [start, end] = [node.startIndex, node.endIndex];
  const open = text.slice(start, end).search(/[{(]/);
  const isBraced = open === 0 && /[})]/.test(text[end - 1] ?? '');
  return isBraced ? { start: start + 1, end: end - 1 } : { start, end };
}

function signatureOf(text: string): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/\s*(=>)?\s*[{(]$/, '');
  return shorten(line, MAX_SIGNATURE_CHARS);
}
