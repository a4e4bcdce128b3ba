/**
 * Statuses that tell only that something takes its time. A line to a hub that has little room leaves them out: whoever
 * reads the timeline afterwards misses nothing.
 */
import type { ExecutionEvent } from './events.ts';

const LOADING = 'Loading ';
const WAITING = 'Waiting for ';

export const loadingText = (model: string): string => `${LOADING}${model}`;
export const waitingText = (model: string): string => `${WAITING}${model}`;

export const isPassingStatus = ({ event_type: type, text }: ExecutionEvent): boolean =>
  type === 'status' && (text.startsWith(LOADING) || text.startsWith(WAITING));
