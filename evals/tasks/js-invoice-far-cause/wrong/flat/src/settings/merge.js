const isGroup = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Settings of several layers in one: later ones win, groups are merged key by key. */
export function mergeSettings(...layers) {
  const merged = {};
  for (const layer of layers) mergeInto(merged, layer ?? {});
  return merged;
}

function mergeInto(target, source) {
  for (const [key, value] of Object.entries(source)) {
    if (value === undefined) continue;
    if (isGroup(value)) target[key] = { ...target[key], ...value };
    else target[key] = value;
  }
}
