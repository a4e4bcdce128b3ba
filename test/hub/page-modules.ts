/** The page's scripts that need no browser, and an event as they get it. */
import type { Json } from './hub-fixture.ts';

const page = new URL('../../sidecar/hub/dashboard/page/', import.meta.url);

export const load = async (name: string): Promise<Json> => import(new URL(name, page).href);

/** A stored event of a task's worker. */
export const execution = (id: number, body: Json) => ({
  id,
  at: 1_000 + id,
  kind: 'execution',
  generation: 1,
  task_id: 't',
  body,
});
