/** A daily job from "07:30 Europe/Berlin backup". */
export function readJob(line) {
  const match = /^([01]\d|2[0-3]):([0-5]\d) (\S+) (\S+)$/.exec(line.trim());
  if (!match) throw new Error(`not a job: ${line}`);
  const [, hour, minute, zone, name] = match;
  return { hour: Number(hour), minute: Number(minute), zone, name };
}
