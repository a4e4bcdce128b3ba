/** Every generated document by its path. */
import { configJsonSchema } from '../sidecar/config/schema-keys.ts';
import { configReference } from '../sidecar/config/reference.ts';

export const documents: Record<string, string> = {
  'docs/CONFIGURATION.md': configReference(),
  'docs/configuration.schema.json': JSON.stringify(configJsonSchema(), undefined, 2),
};
