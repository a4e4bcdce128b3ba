/** `config`: prints the effective configuration and the source of each value; secrets are masked. */
import { formatSetting } from '../../base/config/load.ts';
import type { Config } from '../../base/config/schema.ts';
import {
  createConfigJsonSchema,
  configKeys,
  MAIN_KEYS,
  type ConfigKey,
} from '../../base/config/schema-keys.ts';
import { loadSettings, type CommandFlags } from '../settings.ts';
import { createTerminal } from '../terminal.ts';

/** Prints the JSON Schema of a configuration file. */
export function schemaCommand(): void {
  createTerminal(undefined).line(JSON.stringify(createConfigJsonSchema(), undefined, 2));
}

export async function configCommand(options: CommandFlags & { all?: boolean }): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const { config, sources } = await loadSettings(options);
  const isShown = ({ path }: ConfigKey): boolean =>
    options.all || MAIN_KEYS.includes(path) || sources.has(path);
  const rows = configKeys.filter(isShown).map(({ path, variable }) => ({
    key: path,
    value: maskSetting(path, readValue(config, path)),
    source: sources.get(path) ?? 'default',
    variable,
  }));
  if (terminal.json) {
    terminal.data(rows);
    return;
  }
  const { color } = terminal;
  const lines = rows.map(({ key, value, source }) => [
    key,
    JSON.stringify(value) ?? '–',
    source === 'default' ? color.dim(source) : color.cyan(source),
  ]);
  terminal.table(lines, ['KEY', 'VALUE', 'FROM']);
  const hidden = configKeys.length - rows.length;
  if (hidden > 0) terminal.line(color.dim(`${hidden} more settings have default values; --all shows them`));
}

function readValue(config: Config, path: string): unknown {
  const [section = '', key = ''] = path.split('.');
  const values = config[section as keyof Config] as Record<string, unknown>;
  return values[key];
}

/** Returns a setting's value with secrets masked, including passwords in addresses. */
function maskSetting(path: string, value: unknown): unknown {
  if (value !== undefined && path === 'hub.token') return '****';
  const text = formatSetting(value);
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}
