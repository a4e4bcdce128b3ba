/**
 * The catalog of models and the model for each kind of task: the shipped `config/models.json`, overridden by the user's
 * file entry by entry and field by field. Read and validated once.
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import shipped from '../../config/models.json' with { type: 'json' };
import { errorCode } from '../base/values/errors.ts';
import { catalogFileSchema, entrySchema } from './catalog-schema.ts';
import type {
  CatalogFile,
  CatalogFileInput,
  EntryInput,
  ModelEntry,
  ModelProfile,
} from './catalog-schema.ts';
import type { ModelDetails } from './chat.ts';
import { parameterBillionsOf, matchesFamily, matchesProfile } from './profile-match.ts';

/** An entry with its name. `isKnown` is false if the files have no profile for the model, or only one for its size. */
export interface CatalogEntry extends ModelEntry {
  model: string;
  isKnown: boolean;
}

/** The catalog is invalid; the message names file, key and problem. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
  readonly code = 'catalog_invalid';
}

export class ModelCatalog {
  /** The shipped file, then the user's file, which overrides it. */
  readonly #files: readonly CatalogFile[];
  /** The default model of the user's file, for tasks without a rule. */
  readonly userDefault: string | undefined;
  /** The entry that was requested last, cached because prices are looked up before and after each call. */
  #cachedEntry: CatalogEntry | undefined;
  /** The model for tasks without a rule. */
  readonly default: string;
  readonly #byTaskType: Readonly<Record<string, string>>;

  /** Loads the shipped catalog and applies `overrides`. Throws `CatalogError`. */
  constructor(overrides: CatalogFileInput = {}, source = 'models') {
    const base = validateCatalog(shipped, 'config/models.json');
    const user = validateCatalog(overrides, source);
    this.#files = [base, user];
    this.userDefault = user.selectionRules.default;
    this.default = user.selectionRules.default ?? base.selectionRules.default ?? '';
    this.#byTaskType = { ...base.selectionRules.byTaskType, ...user.selectionRules.byTaskType };
  }

  /** Loads the user's file over the shipped one; a missing file counts as empty. Rejects with `CatalogError`. */
  static async load({ userFile }: { userFile?: string } = {}): Promise<ModelCatalog> {
    return userFile === undefined
      ? new ModelCatalog()
      : new ModelCatalog(await readUserCatalog(userFile), userFile);
  }

  /** Kinds of tasks with a rule that names a model. */
  get taskTypes(): string[] {
    return Object.keys(this.#byTaskType);
  }

  /** Returns the model that a rule names for a kind of task. */
  findModelForTaskType(taskType: string | undefined): string | undefined {
    return taskType !== undefined && Object.hasOwn(this.#byTaskType, taskType)
      ? this.#byTaskType[taskType]
      : undefined;
  }

  /**
   * Returns a model's entry, in rising priority: shipped profiles and the entry of its name, the server's report
   * (`details`, from `/api/show`), the user's file. If no profile matches the name, those of its family apply.
   */
  findEntry(model: string, details?: EntryDetails): CatalogEntry {
    if (details) return this.#buildEntry(model, details);
    if (this.#cachedEntry?.model !== model) this.#cachedEntry = this.#buildEntry(model, {});
    return this.#cachedEntry;
  }

  #buildEntry(model: string, details: EntryDetails): CatalogEntry {
    const billions = parameterBillionsOf(model, details.parameterSize);
    const namedLayers = this.#files.map((file) => layersOf(file, model, billions));
    const isNamed = namedLayers.flat().some(({ isSpecific }) => isSpecific);
    const [shippedLayers = [], userLayers = []] = isNamed
      ? namedLayers
      : this.#files.map((file, index) => [
          ...(namedLayers[index] ?? []),
          ...familyLayersOf(file, details.family ?? '', billions),
        ]);
    const layers = [
      ...shippedLayers,
      { input: buildReportedEntry(details), isSpecific: false },
      ...userLayers,
    ];
    const isKnown = layers.some(({ isSpecific }) => isSpecific);
    const entry = layers.map(({ input }) => input).reduce<EntryInput>(mergeEntries, {});
    const parsed = entrySchema.parse(entry);
    return { ...parsed, displayName: parsed.displayName ?? model, model, isKnown };
  }
}

/** The model details from a server that a catalog entry needs. */
export type EntryDetails = Partial<
  Pick<ModelDetails, 'capabilities' | 'contextLength' | 'parameterSize' | 'family'>
>;

interface CatalogLayer {
  input: EntryInput;
  /** Whether the layer matches the model's name or family, not only its size. */
  isSpecific: boolean;
}

function layersOf(
  { profiles, models }: CatalogFile,
  model: string,
  billions: number | undefined,
): CatalogLayer[] {
  const matching = profiles
    .filter(({ match }) => matchesProfile(match, model, billions))
    .map((profile) => ({ input: entryOf(profile), isSpecific: profile.match.name !== '*' }));
  const name = Object.hasOwn(models, model) ? model : model.replace(/:latest$/u, '');
  const ownEntry = Object.hasOwn(models, name) ? models[name] : undefined;
  return ownEntry ? [...matching, { input: ownEntry, isSpecific: true }] : matching;
}

/** Returns the profiles of the model's family. */
const familyLayersOf = (
  { profiles }: CatalogFile,
  family: string,
  billions: number | undefined,
): CatalogLayer[] =>
  profiles
    .filter(({ match }) => matchesFamily(match, family, billions))
    .map((profile) => ({ input: entryOf(profile), isSpecific: true }));

function entryOf({ match: _match, note: _note, source: _source, ...entry }: ModelProfile): EntryInput {
  return entry;
}

const buildReportedEntry = ({ contextLength, capabilities }: EntryDetails): EntryInput => ({
  ...(contextLength === undefined ? {} : { contextWindow: contextLength }),
  // Only old servers report no capabilities.
  ...(capabilities === undefined || capabilities.length === 0 ? {} : { capabilities }),
});

/** Merges entries field by field, with the parts of `options`, `solving` and `thinking` merged separately. */
function mergeEntries(base: EntryInput, next: EntryInput): EntryInput {
  return {
    ...base,
    ...next,
    options: { ...base.options, ...next.options },
    solving: { ...base.solving, ...next.solving },
    thinking: { ...base.thinking, ...next.thinking },
  };
}

function validateCatalog(content: unknown, source: string): CatalogFile {
  const parsed = catalogFileSchema.safeParse(content);
  if (!parsed.success) throw new CatalogError(`${source}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** Reads the file without validation; a missing one counts as empty. Rejects with `CatalogError`. */
export async function readUserCatalog(path: string): Promise<CatalogFileInput> {
  try {
    // The constructor validates the content.
    return JSON.parse(await readFile(path, 'utf8')) as CatalogFileInput;
  } catch (cause) {
    // ENOTDIR: the home folder is not a folder, such as `/dev/null` of a service's user.
    if (/^(ENOENT|ENOTDIR)$/u.test(errorCode(cause) ?? '')) return {};
    throw new CatalogError(`${path}: not readable as JSON: ${(cause as Error).message}`, { cause });
  }
}
