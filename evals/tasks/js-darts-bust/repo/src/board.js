/** The points of one dart: `20`, `D16`, `T19`, `25`, `Bull` or `0`. */
export function parseDart(text) {
  if (text === 'Bull') return { points: 50, isDouble: true };
  if (text === '25' || text === '0') return { points: Number(text), isDouble: false };
  const match = /^([DT]?)(\d{1,2})$/.exec(text);
  const field = match ? Number(match[2]) : 0;
  if (field < 1 || field > 20) throw new Error(`not a field: ${text}`);
  if (match[1] === 'D') return { points: field * 2, isDouble: true };
  if (match[1] === 'T') return { points: field * 3, isDouble: false };
  return { points: field, isDouble: false };
}
