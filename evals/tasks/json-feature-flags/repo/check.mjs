import { readFileSync } from 'node:fs';

const problems = [];
const DAY_MS = 24 * 60 * 60 * 1000;

function read(name) {
  try {
    return JSON.parse(readFileSync(new URL(`config/${name}.json`, import.meta.url), 'utf8'));
  } catch (error) {
    problems.push(`config/${name}.json: ${error.message}`);
    return { features: {} };
  }
}

function checkFeature(where, feature, updated) {
  if (typeof feature.enabled !== 'boolean') problems.push(`${where}: enabled must be true or false`);
  if (typeof feature.owner !== 'string') problems.push(`${where}: owner is missing`);
  if (feature.enabled && !(feature.rollout >= 0 && feature.rollout <= 1)) problems.push(`${where}: rollout must be from 0 to 1, it is ${feature.rollout}`);
  if (!feature.enabled && 'rollout' in feature) problems.push(`${where}: rollout without enabled`);
  if (feature.rollout < 1) {
    const days = (Date.parse(feature.expires) - Date.parse(updated)) / DAY_MS;
    if (!(days > 0 && days <= 90)) problems.push(`${where}: expires must be 1 to 90 days after updated (${updated}), it is ${feature.expires}`);
  }
}

const staging = read('staging');
const production = read('production');
for (const config of [staging, production]) {
  for (const [name, feature] of Object.entries(config.features)) checkFeature(`${config.environment} ${name}`, feature, config.updated);
}
if (staging.features.newCheckout?.enabled !== true) problems.push('staging newCheckout: expected to be enabled');

for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
