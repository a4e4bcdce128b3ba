/** Packages from lines such as "app: core http". Lines that are empty or begin with # are left out. */
export function readPackages(text) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [name, needs = ''] = line.split(':');
      const list = needs.split(' ').filter(Boolean);
      return list.length > 0 ? { name: name.trim(), needs: list } : { name: name.trim() };
    });
}
