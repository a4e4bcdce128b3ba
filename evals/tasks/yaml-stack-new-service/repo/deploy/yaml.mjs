/**
 * Reads the part of YAML that our files use: maps by indentation, lists of maps, lists in brackets, and texts.
 */
export function readYaml(text) {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trim().startsWith('#'))
    .map((line) => {
      if (line.includes('\t')) throw new Error(`a tab in: ${line}`);
      return { indent: line.search(/\S/), text: line.trim() };
    });
  const [value, rest] = readBlock(lines, lines[0]?.indent ?? 0);
  if (rest.length > 0) throw new Error(`wrong indentation: ${rest[0].text}`);
  return value;
}

function readBlock(lines, indent) {
  return lines[0]?.text.startsWith('- ') ? readList(lines, indent) : readMap(lines, indent);
}

function readList(lines, indent) {
  const list = [];
  while (lines.length > 0 && lines[0].indent === indent && lines[0].text.startsWith('- ')) {
    const first = { indent: indent + 2, text: lines[0].text.slice(2).trim() };
    const [value, rest] = readMap([first, ...lines.slice(1)], indent + 2);
    list.push(value);
    lines = rest;
  }
  return [list, lines];
}

function readMap(lines, indent) {
  const map = {};
  while (lines.length > 0 && lines[0].indent === indent && !lines[0].text.startsWith('- ')) {
    const match = /^([\w.-]+):(?:\s+(.*))?$/.exec(lines[0].text);
    if (!match) throw new Error(`not "key: value": ${lines[0].text}`);
    const [, key, text] = match;
    if (key in map) throw new Error(`twice: ${key}`);
    lines = lines.slice(1);
    if (text !== undefined) map[key] = readScalar(text);
    else [map[key], lines] = lines[0]?.indent > indent ? readBlock(lines, lines[0].indent) : [null, lines];
  }
  return [map, lines];
}

function readScalar(text) {
  const list = /^\[(.*)\]$/.exec(text);
  if (list) return list[1].split(',').map((item) => item.trim()).filter(Boolean);
  return text.replace(/^(['"])(.*)\1$/, '$2');
}
