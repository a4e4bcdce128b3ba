/**
 * Reads a variant to measure from settings of the form `key=value`. A key of the model's catalog entry, such
 * as `solving.drafts` or `toolMode`, changes the profile. Any other key belongs to the configuration.
 */
import { ModelCatalog, readUserCatalog } from '../../model/catalog.ts';
import { entrySchema, solvingSchema, type EntryInput } from '../../model/catalog-schema.ts';
import { isRecord, parseJson } from '../../base/values/json.ts';

export interface EvaluationVariant {
  /** Settings of the configuration, as `key=value` texts for `--set`. */
  configuration: string[];
  /** Values of the model's catalog entry, by key. */
  entry: Record<string, string>;
}

/**
 * Separates keys of the catalog entry from keys of the configuration. Unknown keys go to the configuration, which
 * rejects them.
 */
export function splitVariant(set: Readonly<Record<string, string>>): EvaluationVariant {
  const variant: EvaluationVariant = { configuration: [], entry: {} };
  for (const [key, value] of Object.entries(set)) {
    if (isCatalogEntryKey(key)) variant.entry[key] = value;
    else variant.configuration.push(`${key}=${value}`);
  }
  return variant;
}

/**
 * Returns whether a key belongs to the catalog entry. The configuration has a section `solving` too, with other keys.
 */
function isCatalogEntryKey(key: string): boolean {
  const [first = '', second] = key.split('.');
  if (first === 'solving' && second !== undefined) return second in solvingSchema.shape;
  return first in entrySchema.shape;
}

/**
 * Returns the user's catalog with the variant's keys in the entries of `models`. Rejects with `CatalogError`
 * if the catalog is invalid.
 */
export async function loadVariantCatalog(
  { entry }: EvaluationVariant,
  models: readonly string[],
  userFile: string,
): Promise<ModelCatalog> {
  const user = await readUserCatalog(userFile);
  // An invalid file is rejected before its entries are changed.
  const userCatalog = new ModelCatalog(user, userFile);
  if (Object.keys(entry).length === 0) return userCatalog;
  const changedEntries = models.map((model) => [model, setEntryKeys(user.models?.[model], entry)] as const);
  return new ModelCatalog(
    { ...user, models: { ...user.models, ...Object.fromEntries(changedEntries) } },
    `${userFile} with --set`,
  );
}

/** Sets dotted keys of an entry. Values are parsed as JSON if possible, and are text otherwise. */
export function setEntryKeys(entry: unknown, keys: Readonly<Record<string, string>>): EntryInput {
  const changedEntry: Record<string, unknown> = isRecord(entry) ? { ...entry } : {};
  for (const [key, text] of Object.entries(keys)) {
    const [first = '', second] = key.split('.');
    const value = parseJson(text) ?? text;
    const inner = changedEntry[first];
    changedEntry[first] =
      second === undefined ? value : { ...(isRecord(inner) ? inner : {}), [second]: value };
  }
  return changedEntry;
}
