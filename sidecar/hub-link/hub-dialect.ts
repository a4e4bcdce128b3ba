/** Differences between hubs, decided once for each connection: by the features that a hub announces, or by their absence. */
import type { HubFeatures } from '../protocol/hub-frames.ts';

export interface HubDialect {
  /** AgentCom, which announces nothing. What it needs beyond frames is in `public-hub/`. */
  readonly isPublic: boolean;
  readonly readsEventBatch: boolean;
  readonly readsDetails: boolean;
  readonly readsUsed: boolean;
  /** Reads `result` in `task_failed`. */
  readonly readsFailedResult: boolean;
  /** Reads why a worker takes no task, and counts no attempt for one that it refuses. */
  readonly readsStatus: boolean;
  readonly asksPeople: boolean;
  readonly framesPerMinute: number | undefined;
  readonly maxFrameBytes: number | undefined;
}

export function dialectOf(features: HubFeatures | undefined): HubDialect {
  return {
    isPublic: features === undefined,
    readsEventBatch: features?.event_batch === true,
    readsDetails: features?.event_details === true,
    readsUsed: features?.used === true,
    readsFailedResult: features?.failed_result === true,
    readsStatus: features?.worker_status === true,
    asksPeople: features?.approval === true,
    framesPerMinute: features?.limits?.framesPerMinute,
    maxFrameBytes: features?.limits?.maxFrameBytes,
  };
}
