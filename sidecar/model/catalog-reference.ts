/** The table of model families in docs/MODELS.md, from the shipped catalogue: one row for each of its profiles. Pure. */
import shipped from '../../config/models.json' with { type: 'json' };
import { catalogFileSchema, type ModelProfile } from './catalog-schema.ts';

const HEAD = `# Models

<!-- Made by npm run docs from config/models.json. -->

What the shipped catalogue (\`config/models.json\`) knows of model families. Where several rows match a name the later ones
win. What the server reports of a model (\`/api/show\`: capabilities, trained window, size, family) wins over this table, and
your own \`models.json\` ([CONFIGURATION.md](CONFIGURATION.md)) over both. A model whose name matches no row gets the row of
its family, as the server names it; one of an unknown family gets the settings for its size.

- **Calls**: \`native\` where the server takes tools for the model, else \`structured\` (a JSON schema); a word in bold is
  set here, whatever the server reports.
- **Thinking**: for which calls it is asked for. A model that the server does not know to think is never asked. One answer may
  take \`thinking.budgetTokens\` of it (4096 unless an entry says otherwise, at most half of the window); then the call is
  stopped and made as \`thinking.after\` says: without (\`false\`), or with as little as the model can be asked for (\`low\`).
- **Window**: tokens that it is trained on, where the server does not report them. What is loaded is never more than
  \`ollama.maxContextTokens\`.

Where each fact is from stands beside it in the catalogue (\`source\`). Ways of solving go by size
([why](dev/solving.md#profiles)); what a model does on this machine is measured: [EVALUATE.md](EVALUATE.md).

`;

/** The whole document. */
export function modelsMarkdown(): string {
  const { profiles } = catalogFileSchema.parse(shipped);
  const rows = profiles.filter(({ match }) => match.name !== '*').map(rowOf);
  const table = [
    ['family', 'names', 'server’s families', 'calls', 'thinking', 'window', 'to know'],
    Array.from({ length: 7 }, () => '---'),
    ...rows,
  ];
  return HEAD + table.map((cells) => `| ${cells.join(' | ')} |`).join('\n') + '\n';
}

function rowOf(profile: ModelProfile): string[] {
  const { match, displayName, contextWindow, note } = profile;
  const size = match.maxBillions === undefined ? '' : `, at most ${match.maxBillions}B`;
  return [
    displayName ?? '(smaller ones)',
    `\`${match.name}\`${size}`,
    (match.families ?? []).map((family) => `\`${family}\``).join(', ') || '–',
    callsOf(profile),
    thinkingOf(profile.think),
    contextWindow === undefined ? '–' : String(contextWindow),
    note ?? '–',
  ];
}

function callsOf({ toolMode, capabilities }: ModelProfile): string {
  if (toolMode !== undefined && toolMode !== 'auto') return `**${toolMode}**`;
  if (capabilities === undefined) return '–';
  return capabilities.includes('tools') ? 'native' : 'structured';
}

function thinkingOf(think: ModelProfile['think']): string {
  if (typeof think !== 'object') return think === undefined || think === false ? 'no' : String(think);
  return Object.entries(think)
    .map(([purpose, value]) => (value === true ? purpose : `${purpose} ${String(value)}`))
    .join(', ');
}
