/** Inputs that several routes read from a request, and pages of their answers. */
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';

export const taskParams = z.object({ id: z.string().min(1).max(256).describe('Task id') });

/** A sequence number, as `after` and `before` have it. */
export const sequenceNumber = z.coerce.number().int().min(0).optional();

/** How many are wanted, from 1. */
export const countUpTo = (most: number, usual: number) =>
  z.coerce.number().int().min(1).max(most).default(usual);

/** The header takes precedence: a browser that reconnects repeats the first URL and adds the last event that it saw. */
export function eventsAfter(
  { headers }: FastifyRequest,
  { after }: { after?: number | undefined },
): number | undefined {
  const value = Number(headers['last-event-id'] ?? Number.NaN);
  return Number.isSafeInteger(value) && value >= 0 ? value : after;
}

/** The page of rows that were read with a limit of one more. */
export const pageOf = <Row>(rows: readonly Row[], limit: number): { page: Row[]; more: boolean } => ({
  page: rows.slice(0, limit),
  more: rows.length > limit,
});
