/** `tokens`: the tokens that a hub has made, without their secrets; `tokens revoke` ends one. */
import { connectHub, type HubFlags } from '../hub-address.ts';
import type { TokenInfo } from '../../hub-client/hub-client.ts';
import { printableLine } from '../../values/printable.ts';
import { usageError } from '../exit-codes.ts';
import { createTerminal } from '../terminal.ts';

export async function tokensCommand(options: HubFlags): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const client = await connectHub(options);
  const tokens = await client.tokens();
  if (terminal.json) terminal.data(tokens);
  else if (tokens.length === 0) terminal.line('No tokens. Make one:  ollama-sidecar token NAME');
  else terminal.table(tokens.map(cells), ['ID', 'NAME', 'ROLE', 'MADE', 'LAST USED', 'ENDS']);
}

/** `which`: an id, or a name that one token has. */
export async function revokeCommand(which: string, options: HubFlags): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const client = await connectHub(options);
  const tokens = await client.tokens();
  const named = tokens.filter(({ name }) => name === which);
  const found = tokens.find(({ id }) => id === which) ?? named[0];
  if (!found) {
    throw usageError(
      'token_unknown',
      `No token has the name or id ${which}; \`ollama-sidecar tokens\` lists them.`,
    );
  }
  if (found.id !== which && named.length > 1) {
    const ids = named.map(({ id }) => id).join(', ');
    throw usageError(
      'token_ambiguous',
      `${named.length} tokens have the name ${which}: name one by its id (${ids}).`,
    );
  }
  const revoked = await client.revokeToken(found.id);
  if (terminal.json) terminal.data(revoked);
  else
    terminal.line(`Revoked the token ${printableLine(revoked.name, 60)} (${revoked.id}, ${revoked.role}).`);
}

const cells = (token: TokenInfo): string[] => [
  token.id,
  printableLine(token.name, 40),
  token.role,
  dateOf(token.created_at),
  token.last_used_at ? timeOf(token.last_used_at) : 'never',
  token.expires_at ? endOf(token.expires_at) : 'never',
];

const timeOf = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
const dateOf = (ms: number): string => timeOf(ms).slice(0, 10);
const endOf = (ms: number): string => (ms <= Date.now() ? `ended ${dateOf(ms)}` : dateOf(ms));
