/** After all tests: the other half of shared-cache.js. */
export default async function tearDown() {
  await globalThis.removeSharedCache?.();
}
