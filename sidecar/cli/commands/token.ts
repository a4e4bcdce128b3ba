/** `token`: makes a token of the hub; it is shown once, and the hub keeps its hash only. */
import { connectHub, type HubFlags } from '../hub-address.ts';
import { shellWord } from '../../values/shell-word.ts';
import { createTerminal } from '../terminal.ts';

interface TokenOptions extends HubFlags {
  role: 'worker' | 'submitter' | 'viewer' | 'admin';
  /** In days; default: never. */
  expires?: number;
}

/** The token alone goes to stdout, so that it can be written into a file; what to do with it goes to stderr. */
export async function tokenCommand(name: string, options: TokenOptions): Promise<void> {
  const terminal = createTerminal(options.json);
  const client = await connectHub(options);
  const { role, expires } = options;
  const made = await client.issueToken({
    role,
    name,
    ...(expires !== undefined && { expiresInDays: expires }),
  });
  const { token, id, expires_at } = made;
  if (terminal.json) {
    terminal.data({ token, id, role, name, expires_at });
    return;
  }
  terminal.line(token);
  if (role === 'worker') {
    terminal.note(
      `A token for the worker ${name}, shown this once. Write it into a file of mode 600 and start the worker:\n  ollama-sidecar start --hub-url ${client.url.replace(/^http/u, 'ws')}/ws --agent-id ${shellWord(name)} --token-file FILE`,
    );
  } else terminal.note(`A token with the role ${role}, shown this once.`);
}
