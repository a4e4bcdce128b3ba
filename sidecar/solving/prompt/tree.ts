/**
 * Renders a short tree of a workspace. Folders are expanded level by level while they fit; the files of other folders are only counted.
 * Pure.
 */

interface TreeFolder {
  folders: Map<string, TreeFolder>;
  files: string[];
  /** Number of files in the folder and its subfolders. */
  fileCount: number;
}

/**
 * Returns at most `maxLines` indented lines. A collapsed folder is shown as `src/ (12 files)`. Control characters are replaced, so that a
 * file name cannot look like a line of the prompt.
 */
export function renderTree(paths: readonly string[], maxLines: number): string[] {
  const root = createFolder();
  for (const path of paths)
    insert(
      root,
      path
        .replaceAll(/\p{Cc}/gu, '?')
        .split('/')
        .filter(Boolean),
    );
  return renderLines(root, selectFoldersToOpen(root, maxLines), 0).slice(0, maxLines);
}

const createFolder = (): TreeFolder => ({ folders: new Map(), files: [], fileCount: 0 });

function insert(root: TreeFolder, names: readonly string[]): void {
  let folder = root;
  folder.fileCount++;
  for (const name of names.slice(0, -1)) {
    const next = folder.folders.get(name) ?? createFolder();
    folder.folders.set(name, next);
    folder = next;
    folder.fileCount++;
  }
  const file = names.at(-1);
  if (file !== undefined) folder.files.push(file);
}

/** Selects the folders to expand, breadth-first, so that the top of a large repository comes before deep folders. */
function selectFoldersToOpen(root: TreeFolder, maxLines: number): Set<TreeFolder> {
  const opened = new Set([root]);
  let usedLines = root.folders.size + root.files.length;
  for (let queue = [root]; queue.length > 0;) {
    const next: TreeFolder[] = [];
    for (const folder of queue.flatMap(({ folders }) => sortFolders(folders).map(([, child]) => child))) {
      const size = folder.folders.size + folder.files.length;
      if (usedLines + size > maxLines) continue;
      usedLines += size;
      opened.add(folder);
      next.push(folder);
    }
    queue = next;
  }
  return opened;
}

function renderLines(folder: TreeFolder, opened: ReadonlySet<TreeFolder>, depth: number): string[] {
  const indent = '  '.repeat(depth);
  const folders = sortFolders(folder.folders).flatMap(([name, child]) =>
    opened.has(child)
      ? [`${indent}${name}/`, ...renderLines(child, opened, depth + 1)]
      : [`${indent}${name}/ (${child.fileCount} ${child.fileCount === 1 ? 'file' : 'files'})`],
  );
  return [...folders, ...[...folder.files].sort(compareNames).map((file) => indent + file)];
}

/** Compares by code unit, not by locale, so that the tree is the same on every machine. */
const compareNames = (a: string, b: string) => (a < b ? -1 : Number(a > b));
const sortFolders = (folders: ReadonlyMap<string, TreeFolder>) =>
  [...folders].sort(([a], [b]) => compareNames(a, b));
