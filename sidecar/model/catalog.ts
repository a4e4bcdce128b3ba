/**
 * The catalogue of models, and which one suits which task: the shipped `config/models.json`, and over
 * it the user's file, entry by entry and field by field. Read once, checked once, then only looked up.
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import shipped from '../../config/models.json' with { type: 'json' };
import { errorCode } from '../values/errors.ts';
import { catalogFileSchema, entrySchema } from './catalog-schema.ts';
import type {
  CatalogFile,
  CatalogFileInput,
  EntryInput,
  ModelEntry,
  ModelProfile,
} from './catalog-schema.ts';
import type { ModelDetails } from './chat.ts';
import { billionParameters, matchesFamily, matchesProfile } from './profile-match.ts';

/** An entry with its name. `known` is false for a model of which no file knows more than its size. */
export interface CatalogEntry extends ModelEntry {
  model: string;
  known: boolean;
}

/** Thrown for a catalogue that cannot be used; the message names file, key and what is wrong. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
  readonly code = 'catalog_invalid';
}

export class ModelCatalog {
  /** The shipped file and the user's, in the order in which they count. */
  readonly #files: readonly CatalogFile[];
  /** The model that the user's file names for tasks without a rule. */
  readonly ownDefault: string | undefined;
  /** The entry that was made last: prices are looked up before and after each call. */
  #last: CatalogEntry | undefined;
  /** The model for tasks without a rule. */
  readonly default: string;
  readonly #byTaskType: Readonly<Record<string, string>>;

  /** The shipped catalogue with `overrides` over it. Throws `CatalogError`. */
  constructor(overrides: CatalogFileInput = {}, where = 'models') {
    const base = check(shipped, 'config/models.json');
    const user = check(overrides, where);
    this.#files = [base, user];
    this.ownDefault = user.selectionRules.default;
    this.default = user.selectionRules.default ?? base.selectionRules.default ?? '';
    this.#byTaskType = { ...base.selectionRules.byTaskType, ...user.selectionRules.byTaskType };
  }

  /** Reads the user's file over the shipped one; a file that is not there counts as empty. Rejects with `CatalogError`. */
  static async load({ userFile }: { userFile?: string } = {}): Promise<ModelCatalog> {
    return userFile === undefined
      ? new ModelCatalog()
      : new ModelCatalog(await readUserCatalog(userFile), userFile);
  }

  /** Kinds of tasks that a rule names a model for. */
  get taskTypes(): string[] {
    return Object.keys(this.#byTaskType);
  }

  /** The model that a rule names for a kind of task, if there is one. */
  modelForTaskType(taskType: string | undefined): string | undefined {
    return taskType !== undefined && Object.hasOwn(this.#byTaskType, taskType)
      ? this.#byTaskType[taskType]
      : undefined;
  }

  /**
   * The entry of a model: the shipped profiles that match it and what stands under its name, then what the server
   * reports (`details`, from `/api/show`), then the user's file. Where no profile has the name, those of its family count.
   */
  entry(model: string, details?: EntryDetails): CatalogEntry {
    if (details) return this.#make(model, details);
    if (this.#last?.model !== model) this.#last = this.#make(model, {});
    return this.#last;
  }

  #make(model: string, details: EntryDetails): CatalogEntry {
    const billions = billionParameters(model, details.parameterSize);
    const named = this.#files.map((file) => layersOf(file, model, billions));
    const isNamed = named.flat().some(({ isOfName }) => isOfName);
    const [shippedLayers = [], userLayers = []] = isNamed
      ? named
      : this.#files.map((file, index) => [
          ...(named[index] ?? []),
          ...familyLayers(file, details.family ?? '', billions),
        ]);
    const layers = [...shippedLayers, { input: asTold(details), isOfName: false }, ...userLayers];
    const known = layers.some(({ isOfName }) => isOfName);
    const entry = layers.map(({ input }) => input).reduce<EntryInput>(over, {});
    const parsed = entrySchema.parse(entry);
    return { ...parsed, displayName: parsed.displayName ?? model, model, known };
  }
}

/** The server's description of a model, as far as an entry needs it. */
export type EntryDetails = Partial<
  Pick<ModelDetails, 'capabilities' | 'contextLength' | 'parameterSize' | 'family'>
>;

interface Layer {
  input: EntryInput;
  /** It speaks of this model or its family, not only of a size. */
  isOfName: boolean;
}

function layersOf({ profiles, models }: CatalogFile, model: string, billions: number | undefined): Layer[] {
  const matching = profiles
    .filter(({ match }) => matchesProfile(match, model, billions))
    .map((profile) => ({ input: entryOf(profile), isOfName: profile.match.name !== '*' }));
  const name = Object.hasOwn(models, model) ? model : model.replace(/:latest$/u, '');
  const own = Object.hasOwn(models, name) ? models[name] : undefined;
  return own ? [...matching, { input: own, isOfName: true }] : matching;
}

/** Profiles of the model's family. */
const familyLayers = ({ profiles }: CatalogFile, family: string, billions: number | undefined): Layer[] =>
  profiles
    .filter(({ match }) => matchesFamily(match, family, billions))
    .map((profile) => ({ input: entryOf(profile), isOfName: true }));

function entryOf({ match: _match, note: _note, source: _source, ...entry }: ModelProfile): EntryInput {
  return entry;
}

const asTold = ({ contextLength, capabilities }: EntryDetails): EntryInput => ({
  ...(contextLength === undefined ? {} : { contextWindow: contextLength }),
  // A server that reports none is an old one.
  ...(capabilities === undefined || capabilities.length === 0 ? {} : { capabilities }),
});

/** Field by field; options, ways of solving and the budget of thinking one by one. */
function over(base: EntryInput, next: EntryInput): EntryInput {
  return {
    ...base,
    ...next,
    options: { ...base.options, ...next.options },
    solving: { ...base.solving, ...next.solving },
    thinking: { ...base.thinking, ...next.thinking },
  };
}

function check(content: unknown, where: string): CatalogFile {
  const parsed = catalogFileSchema.safeParse(content);
  if (!parsed.success) throw new CatalogError(`${where}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** The file as it is written, not checked yet; one that is not there counts as empty. Rejects with `CatalogError`. */
export async function readUserCatalog(path: string): Promise<CatalogFileInput> {
  try {
    // Checked by the constructor.
    return JSON.parse(await readFile(path, 'utf8')) as CatalogFileInput;
  } catch (cause) {
    // ENOTDIR: a home folder that is none, such as `/dev/null` of a service's user.
    if (/^(ENOENT|ENOTDIR)$/u.test(errorCode(cause) ?? '')) return {};
    throw new CatalogError(`${path}: not readable as JSON: ${(cause as Error).message}`, { cause });
  }
}
