/** Finds what a definition of an answer stands for in the file: by its container first, then anywhere it is alone. */
import { withNested } from '../definitions/index.ts';
import type { Definition, SourceFile } from '../definitions/index.ts';
import type { CodeBlock } from './code-block.ts';
import type { Scope } from './insertion.ts';
import { matchAmong, type Match } from './matching.ts';

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
  /** Two definitions of an answer never stand for one. */
  readonly #taken = new Set<Definition>();

  constructor(place: Place) {
    this.#place = place;
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
    return isLoose ? matchAmong(side, this.#spokenOf(all, definition), text) : undefined;
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
}

const withGroups = (definition: Definition): Definition[] =>
  definition.kind === 'group' ? [definition, ...definition.children] : [definition];
