/** Reads lines like `500 g: 12` into a list of `{ size, count }`, in the order of the lines. */
export function parseStock(text) {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const match = /^\s*(\d+) g:\s*(\d+)\s*$/.exec(line);
      if (!match) throw new Error(`not a line of the stock: ${line}`);
      return { size: Number(match[1]), count: Number(match[2]) };
    });
}
