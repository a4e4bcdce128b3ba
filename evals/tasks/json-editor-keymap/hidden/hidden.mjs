import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const text = readFileSync('keymap.json', 'utf8');
assert.deepEqual(JSON.parse(text), {
  version: 3,
  global: {
    'ctrl+s': 'file.save',
    'ctrl+o': 'file.open',
    'ctrl+p': 'palette.show',
    'ctrl+shift+f': 'search.inFiles',
    f11: 'window.fullscreen',
  },
  editor: {
    'ctrl+d': 'line.duplicate',
    'ctrl+shift+k': 'line.delete',
    'ctrl+alt+f': 'editor.format',
    'ctrl+slash': 'line.comment',
    'alt+up': 'line.moveUp',
    'alt+down': 'line.moveDown',
  },
  files: {
    enter: 'files.open',
    f2: 'files.rename',
    'ctrl+d': 'files.duplicate',
    'ctrl+alt+f': 'files.filter',
  },
});
// No shortcut is there twice, which JSON.parse would hide: 15 of them.
assert.equal(text.match(/"[^"]+":\s*"/g).length, 15);
assert.equal(readFileSync('commands.txt', 'utf8').split('\n').filter(Boolean).length, 15);
