import { check } from './check.js';
import { list } from './list.js';
import { prune } from './prune.js';
import { restore } from './restore.js';
import { save } from './save.js';

export const COMMANDS = { check, list, prune, restore, save };
