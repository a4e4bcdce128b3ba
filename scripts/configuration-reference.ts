/** The reference of all settings as Markdown, a line each, generated from the schema (docs/CONFIGURATION.md). */
import { configKeys, MAIN_KEYS, type ConfigKey } from '../sidecar/base/config/schema-keys.ts';
import { configSchema, type Config } from '../sidecar/base/config/schema.ts';

/** The whole document; pure. */
export function configReference(): string {
  const defaults = configSchema.parse({});
  const common = configKeys.filter(({ isRare }) => !isRare);
  const tables = [...groupBySection(common)].map(([section, keys]) => sectionText(section, keys, defaults));
  return `${introduction(configKeys.length - common.length)}\n${tables.join('\n')}`;
}

const introduction = (rare: number): string => `# Configuration

<!-- Generated from sidecar/base/config/schema.ts by \`npm run docs\`; do not edit. -->

Later layers win: defaults < \`~/.config/ollama-sidecar/*.json\` < the file named by \`--config\` < environment < flags.
A file holds sections, and unknown keys are errors: \`{"worker": {"concurrency": 2}, "ollama": {"url": "http://gpu:11434"}}\`.
The environment variable of a setting is \`SIDECAR_\` and its name in capitals, with underscores between words (\`hub.agentId\`:
\`SIDECAR_HUB_AGENT_ID\`); lists are JSON or separated by commas, tables are JSON. Also read: \`OLLAMA_HOST\` (\`ollama.url\`),
\`SIDECAR_TOKEN\` (\`hub.token\`), \`SIDECAR_STATE_DIR\`, \`SIDECAR_DATA_DIR\`, \`SIDECAR_MODEL\`, \`SIDECAR_LOG_LEVEL\`, and below every
other layer \`OTEL_EXPORTER_OTLP_ENDPOINT\` (\`observability.otlpEndpoint\`). Models have [a file of their own](MODELS.md).

The twelve that matter: ${MAIN_KEYS.map((path) => `\`${path}\``).join(', ')}.
\`ollama-sidecar config\` prints these and what is set, with where each value came from; \`config --all\` prints all. \`dev schema\`
describes ${rare} more that seldom need a change. In brackets: type (unless obvious) and default.
`;

function groupBySection(keys: readonly ConfigKey[]): Map<string, ConfigKey[]> {
  const sections = new Map<string, ConfigKey[]>();
  for (const key of keys) {
    const section = key.path.split('.')[0] ?? '';
    sections.set(section, [...(sections.get(section) ?? []), key]);
  }
  return sections;
}

function sectionText(section: string, keys: readonly ConfigKey[], defaults: Config): string {
  return [`## ${section}`, '', ...keys.map((key) => line(key, defaults)), ''].join('\n');
}

function line({ path, schema }: ConfigKey, defaults: Config): string {
  const [section = '', key = ''] = path.split('.');
  const value = (defaults[section as keyof Config] as Record<string, unknown>)[key];
  const shown = value === undefined || isEmpty(value) ? [] : [`\`${JSON.stringify(value)}\``];
  const facts = [...(saysItsType(value) ? [] : [typeText(schema)]), ...shown];
  const description = typeof schema.description === 'string' ? `: ${schema.description}` : '';
  return `- \`${path}\` (${facts.join(', ')})${description}`;
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** A default that is a number or a truth value shows which type the setting has. */
const saysItsType = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean';

function typeText(schema: Record<string, unknown>): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (Array.isArray(schema.anyOf))
    return schema.anyOf.map((option: Record<string, unknown>) => typeText(option)).join(' or ');
  if (schema.type === 'array') return 'list';
  if (schema.type === 'object') return 'table';
  return typeof schema.type === 'string' ? schema.type : 'any';
}
