/** Started with data: { point, others }; answers the index of the nearest one. */
export async function nearest({ point, others }) {
  const { distance } = await import('./geometry.js');
  const lengths = others.map((other) => distance(point, other));
  return lengths.indexOf(Math.min(...lengths));
}
