'use strict';

/** The tree as text: the title, then its children as an indented list. */
function renderTree(node, options = {}) {
  const bullet = options.ascii ? '-' : '*';
  const lines = [node.title];
  addChildren(node, 1, bullet, lines);
  return lines.join('\n');
}

// level is 1 for the children of the root
function addChildren(node, level, bullet, lines) {
  for (const child of node.children ?? []) {
    lines.push(`${'  '.repeat(level - 1)}${bullet} ${child.title}`);
    addChildren(child, level + 1, bullet, lines);
  }
}

module.exports = { renderTree };
