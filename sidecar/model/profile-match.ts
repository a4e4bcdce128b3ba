/** Matches profiles of the catalog to models, by name pattern and size. Pure. */

import type { ModelProfile } from './catalog-schema.ts';

type ProfileMatch = ModelProfile['match'];

/** Returns the number of parameters in billions: as reported (`1.8B`, `494.03M`), else from the name's tag (`:1.5b`, `-7b-`). */
export function parameterBillionsOf(model: string, parameterSize?: string): number | undefined {
  const fromReport = /^\s*(\d+(?:\.\d+)?)\s*([BMK])\s*$/iu.exec(parameterSize ?? '');
  const fromName = /(?:^|[:\-_x])(\d+(?:\.\d+)?)([bm])(?![a-z0-9])/iu.exec(model);
  const [, digits, unit] = fromReport ?? fromName ?? [];
  if (digits === undefined || unit === undefined) return undefined;
  return Number(digits) / { b: 1, m: 1e3, k: 1e6 }[unit.toLowerCase() as 'b' | 'm' | 'k'];
}

/** Returns whether a profile matches the model. A name without a tag means `:latest`. */
export function matchesProfile(match: ProfileMatch, model: string, billions: number | undefined): boolean {
  return matchesName(match.name, model) && matchesSize(match, billions);
}

/** Returns whether a profile matches the family, whatever the model's name. */
export function matchesFamily(match: ProfileMatch, family: string, billions: number | undefined): boolean {
  return match.families?.includes(family.toLowerCase()) === true && matchesSize(match, billions);
}

function matchesSize({ minBillions, maxBillions }: ProfileMatch, billions: number | undefined): boolean {
  if (minBillions === undefined && maxBillions === undefined) return true;
  if (billions === undefined) return false;
  return billions >= (minBillions ?? 0) && billions <= (maxBillions ?? Infinity);
}

function matchesName(pattern: string, model: string): boolean {
  const fullName = model.includes(':') ? model : `${model}:latest`;
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`));
  return new RegExp(`^${parts.join('[^]*')}$`, 'iu').test(fullName);
}
