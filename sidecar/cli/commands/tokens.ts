/**
 * `token`: creates a token of the hub; it is shown once, and the hub stores only its hash. `tokens`: lists a hub's
 * tokens; `tokens revoke` revokes one.
 */
import { openHub, type HubFlags } from '../hub-address.ts';
import type { TokenInfo } from '../../hub/client/hub-client.ts';
import { toPrintableLine } from '../../base/values/printable.ts';
import { quoteShellWord } from '../../base/values/shell-word.ts';
import { createUsageError } from '../exit-codes.ts';
import { createTerminal } from '../terminal.ts';

interface TokenOptions extends HubFlags {
  role: 'worker' | 'submitter' | 'viewer' | 'admin';
  /** Days until the token expires; default: never. */
  expires?: number;
}

/** Creates a token. Only the token goes to stdout, so that it can be redirected to a file; the instructions go to stderr. */
export async function tokenCommand(name: string, options: TokenOptions): Promise<void> {
  const { client } = await openHub(options);
  const terminal = createTerminal(options.json);
  const { role, expires: expiresInDays } = options;
  const { token, id, expires_at } = await client.issueToken({ role, name, expiresInDays });
  if (terminal.json) return terminal.data({ token, id, role, name, expires_at });
  terminal.line(token);
  if (role !== 'worker') return terminal.note(`This token has the role ${role} and is shown only once.`);
  terminal.note(
    `This token is for the worker ${name} and is shown only once. Write it into a file with mode 600 and start the worker:\n  ollama-sidecar start --hub-url ${client.url.replace(/^http/u, 'ws')}/ws --agent-id ${quoteShellWord(name)} --token-file FILE`,
  );
}

export async function tokensCommand(options: HubFlags): Promise<void> {
  const { terminal, client } = await openHub(options);
  terminal.list(await client.tokens(), {
    emptyText: 'No tokens. Create one:  ollama-sidecar token NAME',
    titles: ['ID', 'NAME', 'ROLE', 'CREATED', 'LAST USED', 'EXPIRES'],
    row: formatTokenCells,
  });
}

/** Revokes a token by its id, or by its name if that is unique. */
export async function revokeCommand(nameOrId: string, options: HubFlags): Promise<void> {
  const { terminal, client } = await openHub(options);
  const tokens = await client.tokens();
  const sameName = tokens.filter(({ name }) => name === nameOrId);
  const selectedToken = tokens.find(({ id }) => id === nameOrId) ?? sameName[0];
  if (!selectedToken) {
    throw createUsageError(
      'token_unknown',
      `No token has the name or id ${nameOrId}; \`ollama-sidecar tokens\` lists the tokens.`,
    );
  }
  if (selectedToken.id !== nameOrId && sameName.length > 1) {
    const ids = sameName.map(({ id }) => id).join(', ');
    throw createUsageError(
      'token_ambiguous',
      `${sameName.length} tokens have the name ${nameOrId}. Revoke the token by its id (${ids}).`,
    );
  }
  const revokedToken = await client.revokeToken(selectedToken.id);
  if (terminal.json) terminal.data(revokedToken);
  else
    terminal.line(
      `Revoked the token ${toPrintableLine(revokedToken.name, 60)} (${revokedToken.id}, ${revokedToken.role}).`,
    );
}

const formatTokenCells = (token: TokenInfo): string[] => [
  token.id,
  toPrintableLine(token.name, 40),
  token.role,
  formatDate(token.created_at),
  token.last_used_at ? formatTime(token.last_used_at) : 'never',
  token.expires_at ? formatExpiry(token.expires_at) : 'never',
];

const formatTime = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
const formatDate = (ms: number): string => formatTime(ms).slice(0, 10);
const formatExpiry = (ms: number): string => (ms <= Date.now() ? `ended ${formatDate(ms)}` : formatDate(ms));
