import { parseFlags } from './flags.js';

const SPEC = { env: 'list', region: 'string', force: 'boolean' };

/** What `deploy` shall do, from its arguments. */
export function readCommand(args) {
  const { flags, rest } = parseFlags(args, SPEC, { e: 'env', r: 'region', f: 'force' });
  if (rest.length !== 1) throw new Error('usage: deploy [--env KEY=VALUE] [--region R] [--force] APP');
  const env = {};
  for (const pair of flags.env ?? []) {
    const at = pair.indexOf('=');
    if (at < 1) throw new Error(`--env needs KEY=VALUE, not ${pair}`);
    env[pair.slice(0, at)] = pair.slice(at + 1);
  }
  return { app: rest[0], env, region: flags.region ?? 'eu-1', force: flags.force ?? false };
}
