/**
 * What is known of each model and which one suits which task: the shipped `config/models.json`, and over
 * it the user's file, entry by entry and field by field. Read once, checked once, then only looked up.
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import shipped from '../../config/models.json' with { type: 'json' };
import { errorCode } from '../values/errors.ts';
import { catalogFileSchema, entrySchema } from './catalog-schema.ts';
import type { CatalogFile, CatalogFileInput, EntryInput, ModelEntry } from './catalog-schema.ts';
import type { ModelDetails } from './chat.ts';

/** An entry with its name. `known` is false for a model that no file describes: then these are defaults. */
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
  readonly #entries: ReadonlyMap<string, ModelEntry>;
  readonly #rules: { default: string; byTaskType: Readonly<Record<string, string>> };

  /** The shipped catalogue with `overrides` over it. Throws `CatalogError`. */
  constructor(overrides: CatalogFileInput = {}, where = 'models') {
    const base = check(shipped, 'config/models.json');
    const user = check(overrides, where);
    const names = new Set([...Object.keys(base.models), ...Object.keys(user.models)]);
    this.#entries = new Map(
      [...names].map((name) => [name, merge(base.models[name] ?? {}, user.models[name] ?? {})]),
    );
    this.#rules = {
      default: user.selectionRules.default ?? base.selectionRules.default ?? '',
      byTaskType: { ...base.selectionRules.byTaskType, ...user.selectionRules.byTaskType },
    };
  }

  /** Reads the user's file over the shipped one; a file that is not there counts as empty. Rejects with `CatalogError`. */
  static async load({ userFile }: { userFile?: string } = {}): Promise<ModelCatalog> {
    return userFile === undefined
      ? new ModelCatalog()
      : new ModelCatalog(await readUserFile(userFile), userFile);
  }

  /** Names of the models that a file describes. */
  get models(): string[] {
    return [...this.#entries.keys()];
  }

  /** The model for a kind of task; the default where there is none for it. */
  selectModel(taskType?: string): string {
    return this.modelForTaskType(taskType) ?? this.#rules.default;
  }

  /** The model that a rule names for a kind of task, if there is one. */
  modelForTaskType(taskType: string | undefined): string | undefined {
    return taskType !== undefined && Object.hasOwn(this.#rules.byTaskType, taskType)
      ? this.#rules.byTaskType[taskType]
      : undefined;
  }

  /**
   * What is known of a model. For one that no file describes `details` (from `/api/show`) fill the defaults;
   * the caller warns when `known` is false.
   */
  entry(model: string, details?: Pick<ModelDetails, 'capabilities' | 'contextLength'>): CatalogEntry {
    const found = this.#entries.get(model) ?? this.#entries.get(model.replace(/:latest$/, ''));
    if (found) return { ...found, displayName: found.displayName ?? model, model, known: true };
    const defaults = entrySchema.parse({
      ...(details?.contextLength === undefined ? {} : { contextWindow: details.contextLength }),
      ...(details === undefined ? {} : { capabilities: details.capabilities }),
    });
    return { ...defaults, displayName: model, model, known: false };
  }
}

/** Field by field; `options` option by option. */
function merge(base: EntryInput, user: EntryInput): ModelEntry {
  return entrySchema.parse({ ...base, ...user, options: { ...base.options, ...user.options } });
}

function check(content: unknown, where: string): CatalogFile {
  const parsed = catalogFileSchema.safeParse(content);
  if (!parsed.success) throw new CatalogError(`${where}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

async function readUserFile(path: string): Promise<CatalogFileInput> {
  try {
    // Checked by the constructor.
    return JSON.parse(await readFile(path, 'utf8')) as CatalogFileInput;
  } catch (cause) {
    // ENOTDIR: a home folder that is none, such as `/dev/null` of a service's user.
    if (/^(ENOENT|ENOTDIR)$/u.test(errorCode(cause) ?? '')) return {};
    throw new CatalogError(`${path}: not readable as JSON: ${(cause as Error).message}`, { cause });
  }
}
