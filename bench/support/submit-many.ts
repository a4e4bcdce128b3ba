/** Many tasks for a hub. */
import type { HubProcessReady } from './hub-process.ts';

/** Submits over HTTP, `atOnce` requests on their way; the times, by task id, are those before each request, in milliseconds since the epoch. */
export async function submitMany(
  { url, adminToken }: HubProcessReady,
  count: number,
  atOnce: number,
): Promise<{ submittedMs: Map<string, number>; seconds: number }> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const submittedMs = new Map<string, number>();
  const startedMs = performance.now();
  let left = count;
  const submitter = async () => {
    while ((left -= 1) >= 0) {
      const body = JSON.stringify({ description: `Load ${left}`, repo: '/srv/repositories/sample' });
      const atMs = performance.timeOrigin + performance.now();
      const response = await fetch(`${url}/api/tasks`, { method: 'POST', headers, body });
      submittedMs.set(((await response.json()) as { task_id: string }).task_id, atMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, submitter));
  return { submittedMs, seconds: (performance.now() - startedMs) / 1000 };
}
