/** Lines for people. */
export class Logger {
  lines = [];

  log(text) {
    this.lines.push(text);
  }

  warn(text) {
    this.log(`warning: ${text}`);
  }
}
