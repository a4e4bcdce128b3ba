import { isoDay, readableDay } from './dates.js';

export function invitation(member, event) {
  return `Dear ${member.name},\nplease come on ${readableDay(event.date)}.\n[${isoDay(event.date)}]`;
}
