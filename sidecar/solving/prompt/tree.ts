/** Renders a short tree of a workspace: folders are expanded level by level while they fit, others are counted. Pure. */

interface Folder {
  folders: Map<string, Folder>;
  files: string[];
  /** Number of files in the folder and below. */
  fileCount: number;
}

/**
 * Returns at most `maxLines` indented lines; a collapsed folder is `src/ (12 files)`. Control characters are replaced: a
 * file name must not look like a line of the prompt.
 */
export function renderTree(paths: readonly string[], maxLines: number): string[] {
  const root = newFolder();
  for (const path of paths)
    insert(
      root,
      path
        .replaceAll(/\p{Cc}/gu, '?')
        .split('/')
        .filter(Boolean),
    );
  return lines(root, foldersToOpen(root, maxLines), 0).slice(0, maxLines);
}

const newFolder = (): Folder => ({ folders: new Map(), files: [], fileCount: 0 });

function insert(root: Folder, names: readonly string[]): void {
  let folder = root;
  folder.fileCount++;
  for (const name of names.slice(0, -1)) {
    const next = folder.folders.get(name) ?? newFolder();
    folder.folders.set(name, next);
    folder = next;
    folder.fileCount++;
  }
  const file = names.at(-1);
  if (file !== undefined) folder.files.push(file);
}

/** Selects folders to expand breadth-first, so that the top of a large repository comes before deep folders. */
function foldersToOpen(root: Folder, maxLines: number): Set<Folder> {
  const opened = new Set([root]);
  let used = root.folders.size + root.files.length;
  for (let queue = [root]; queue.length > 0;) {
    const next: Folder[] = [];
    for (const folder of queue.flatMap(({ folders }) => sortFolders(folders).map(([, child]) => child))) {
      const size = folder.folders.size + folder.files.length;
      if (used + size > maxLines) continue;
      used += size;
      opened.add(folder);
      next.push(folder);
    }
    queue = next;
  }
  return opened;
}

function lines(folder: Folder, opened: ReadonlySet<Folder>, depth: number): string[] {
  const indent = '  '.repeat(depth);
  const folders = sortFolders(folder.folders).flatMap(([name, child]) =>
    opened.has(child)
      ? [`${indent}${name}/`, ...lines(child, opened, depth + 1)]
      : [`${indent}${name}/ (${child.fileCount} ${child.fileCount === 1 ? 'file' : 'files'})`],
  );
  return [...folders, ...[...folder.files].sort(compareNames).map((file) => indent + file)];
}

/** Compares by code unit, not by locale: the same tree on every machine. */
const compareNames = (a: string, b: string) => (a < b ? -1 : Number(a > b));
const sortFolders = (folders: ReadonlyMap<string, Folder>) =>
  [...folders].sort(([a], [b]) => compareNames(a, b));
