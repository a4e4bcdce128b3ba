/** Generates the list of model families in docs/MODELS.md from the shipped catalog, one line per profile. Pure. */
import shipped from '../config/models.json' with { type: 'json' };
import { catalogFileSchema, type ModelProfile } from '../sidecar/model/catalog-schema.ts';

const HEAD = `# Models

<!-- Made by npm run docs from config/models.json. -->

The shipped catalogue of model families. Where several lines match a name the later ones win. What the server reports of a
model (\`/api/show\`: capabilities, trained window, size, family) wins over this list, and your own \`models.json\`
([CONFIGURATION.md](CONFIGURATION.md)) over both. A model whose name matches none gets the line of its family (in brackets), as
the server names it; one of an unknown family gets the settings for its size.

- Calls are native where the server takes tools for the model, else structured (a JSON schema); a word in bold is set here,
  whatever the server reports.
- "Thinks" says for which calls thinking is asked for, of a model that the server knows to think. One answer may take
  \`thinking.budgetTokens\` of it (4096 unless an entry says otherwise, at most half of the window); then the call is stopped and
  made as \`thinking.after\` says: without (\`false\`), or with as little as the model can be asked for (\`low\`).
- The number is the window in tokens that it is trained on, where the server does not report it.

An entry of \`models.json\`, for a model or a pattern, may have \`displayName\`, \`provider\`, \`capabilities\`, \`contextWindow\`,
\`recommendedFor\`, \`prompt\`, \`toolMode\`, \`think\`, \`options\`, \`keepAlive\`, \`requestTimeoutMs\`, \`price\` and
\`parallelToolCalls\`. \`selectionRules\` (\`default\`, \`byTaskType\`) choose a model for \`metadata.task_type\`.

The catalogue names the \`source\` of each fact. Ways of solving go by size ([why](dev/solving.md#profiles)).
[EVALUATE.md](EVALUATE.md) says how to measure a model on this machine.

`;

export function modelsMarkdown(): string {
  const { profiles } = catalogFileSchema.parse(shipped);
  const lines = profiles.filter(({ match }) => match.name !== '*').map(lineOf);
  return `${HEAD}${lines.join('\n')}\n`;
}

/** Formats a profile: `- Name \`pattern\` (\`family\`): native, 32768. Note.` */
function lineOf(profile: ModelProfile): string {
  const { match, displayName = '(smaller ones)', contextWindow, note } = profile;
  const size = match.maxBillions === undefined ? '' : ` up to ${match.maxBillions}B`;
  const families = (match.families ?? []).map((family) => `\`${family}\``).join(', ');
  const names = `${displayName} \`${match.name}\`${size}${families === '' ? '' : ` (${families})`}`;
  const facts = [callsOf(profile), contextWindow, thinkingOf(profile.think)].filter(
    (fact) => fact !== undefined,
  );
  return [`- ${names}: ${facts.join(', ')}.`, note].filter((text) => text !== undefined).join(' ');
}

function callsOf({ toolMode, capabilities }: ModelProfile): string | undefined {
  if (toolMode !== undefined && toolMode !== 'auto') return `**${toolMode}**`;
  if (capabilities === undefined) return undefined;
  return capabilities.includes('tools') ? 'native' : 'structured';
}

function thinkingOf(think: ModelProfile['think']): string | undefined {
  if (think === undefined || think === false) return undefined;
  if (typeof think !== 'object') return `thinks ${String(think)}`;
  const purposes = Object.entries(think).map(([purpose, value]) =>
    value === true ? purpose : `${purpose} ${String(value)}`,
  );
  return `thinks for ${purposes.join(', ')}`;
}
