import { notify } from './notify.js';

export function remind(loan, today) {
  const days = today - loan.due;
  if (days > 0) notify(loan.reader, `${loan.title} is ${days} days late`);
  return days > 0;
}
