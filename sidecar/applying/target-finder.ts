/** Finds what a definition of an answer stands for in the file: by its container first, then anywhere it is alone. */
import { withNested } from '../definitions/index.ts';
import type { Definition, SourceFile } from '../definitions/index.ts';
import type { CodeBlock } from './code-block.ts';
import type { Scope } from './insertion.ts';
import { matchAmong, type Match } from './matching.ts';
import { folded, isUsed } from './texts.ts';

interface Place {
  file: SourceFile;
  /** The file's text. */
  text: string;
  block: CodeBlock;
  /** What the answer says around its blocks. */
  prose: string;
}

export class TargetFinder {
  readonly #place: Place;
  /** Names that the answer defines. */
  readonly #given: ReadonlySet<string>;
  /** Two definitions of an answer never stand for one. */
  readonly #taken = new Set<Definition>();

  constructor(place: Place) {
    this.#place = place;
    this.#given = new Set(place.block.source.definitions.flatMap(({ names }) => names));
  }

  take(target: Definition): void {
    this.#taken.add(target);
  }

  /** What the definition stands for, in a container of the file or anywhere. */
  find(definition: Definition, scope: Scope): Match {
    const side = { text: this.#place.block.text, definition };
    const { text } = this.#place;
    const free = (candidates: Iterable<Definition>): Definition[] =>
      [...candidates].filter((each) => !this.#taken.has(each));
    const direct = scope.items.flatMap((item) =>
      item.type === 'definition' ? withGroups(item.definition) : [],
    );
    if (scope.owner) return matchAmong(side, free([...direct, ...this.#otherParts(scope.owner)]), text);
    const all = free(withNested(this.#place.file.definitions));
    const { container } = definition;
    if (container !== undefined && !this.#place.block.areMembers) {
      const own = all.filter(
        (each) => each.container === container || each.container?.endsWith(`.${container}`),
      );
      const match = matchAmong(side, own, text);
      if (match) return match;
      return definition.kind === 'method' ? undefined : matchAmong(side, free(direct), text);
    }
    const atTop = this.#place.block.areMembers ? undefined : matchAmong(side, free(direct), text);
    if (atTop) return atTop;
    const isLoose =
      this.#place.block.areMembers ||
      definition.form === 'declaration' ||
      definition.kind === 'function' ||
      definition.kind === 'method';
    if (!isLoose) return this.#renamed(definition, direct);
    const match = matchAmong(side, this.#spokenOf(all, definition), text);
    return match ?? this.#renamed(definition, direct);
  }

  /** Other `impl` blocks of the type, other parts of a partial class. */
  #otherParts(owner: Definition): Definition[] {
    return withNested(this.#place.file.definitions)
      .filter(
        (each) =>
          each !== owner &&
          each.name === owner.name &&
          each.variant === owner.variant &&
          each.kind === owner.kind &&
          each.container === owner.container,
      )
      .flatMap((each) => each.children);
  }

  /** Where several classes have a member of the name, the class that the answer speaks of. */
  #spokenOf(all: readonly Definition[], { names }: Definition): readonly Definition[] {
    const named = all.filter((each) => each.names.some((name) => names.includes(name)));
    if (named.length < 2) return named;
    const { prose, block } = this.#place;
    const comment = block.text.slice(0, 200);
    const said = named.filter(({ container }) => {
      const owner = container?.split('.').at(-1) ?? '';
      return owner !== '' && new RegExp(`\\b${owner.replaceAll(/\W/g, '.')}\\b`).test(`${prose}\n${comment}`);
    });
    return said.length > 0 ? said : named;
  }

  /** What the answer renames to this: it says so, or shows it by what else it gives, which is all that there is. */
  #renamed(definition: Definition, candidates: readonly Definition[]): Match {
    const { prose } = this.#place;
    const gone = candidates.filter((each) => !this.#taken.has(each) && !this.#given.has(each.name));
    const said =
      /renam\w*\s+(?:the\s+)?(?:function|method|class|constant|variable)?\s*[`"']?([\w$]+)(?:\(\))?[`"']?\s+(?:to|into|as)\s+[`"']?([\w$]+)/gi;
    for (const [, from, to] of prose.matchAll(said)) {
      const target = to === definition.name ? gone.find(({ name }) => name === from) : undefined;
      if (target) return { target };
    }
    const [only, another] = gone;
    return only && !another && this.#isRenamed(only, definition) ? { target: only } : undefined;
  }

  /** It is as it was but for its name, and what used the old name uses it no more. */
  #isRenamed(old: Definition, { kind, name, bareStart, end }: Definition): boolean {
    const { text, block } = this.#place;
    const renamed = text.slice(old.bareStart, old.end).replaceAll(old.name, name);
    return (
      old.kind === kind &&
      folded(renamed) === folded(block.text.slice(bareStart, end)) &&
      isUsed(text.slice(0, old.start) + text.slice(old.end), old.name) &&
      !isUsed(block.text, old.name)
    );
  }
}

const withGroups = (definition: Definition): Definition[] =>
  definition.kind === 'group' ? [definition, ...definition.children] : [definition];
