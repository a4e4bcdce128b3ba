/** Generates the list of model families in docs/MODELS.md from the shipped catalog, one line per profile. Pure. */
import shipped from '../config/models.json' with { type: 'json' };
import { catalogFileSchema, type ModelProfile } from '../sidecar/model/catalog-schema.ts';

const HEAD = `# Models

<!-- Made by npm run docs from config/models.json. -->

The shipped catalogue of model families; later lines win. The server's report of a model (\`/api/show\`: capabilities, trained window,
size, family) wins over it, and your own \`~/.config/ollama-sidecar/models.json\` over both. A model whose name matches no line gets
that of its family (in brackets); one of an unknown family gets settings by its size.

- Calls are native if the server takes tools for the model, else structured (a JSON schema); a word in bold is set here,
  whatever the server reports.
- "Thinks" names the calls for which thinking is requested, if the server reports that the model can. An answer may spend
  \`thinking.budgetTokens\` on it (4096 by default, at most half of the window); then the call is stopped and made as
  \`thinking.after\` says: without (\`false\`), or with as little as the model allows (\`low\`).
- The number is the trained window in tokens, if the server does not report it.

An entry of \`models.json\`, for a model or a pattern, may have \`displayName\`, \`provider\`, \`capabilities\`, \`contextWindow\`,
\`recommendedFor\`, \`prompt\`, \`toolMode\`, \`think\`, \`options\`, \`keepAlive\`, \`requestTimeoutMs\`, \`price\` and
\`parallelToolCalls\`. \`selectionRules\` (\`default\`, \`byTaskType\`) choose a model for \`metadata.task_type\`.

The catalogue names the \`source\` of each fact. [Strategies go by size](dev/solving.md#profiles). [Measure a model](EVALUATE.md) on this
machine.

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
