export { archivePath } from './archive.js';
export { calendarLines } from './calendar.js';
export { invoiceHead } from './invoice.js';
export { invitation } from './mail.js';
