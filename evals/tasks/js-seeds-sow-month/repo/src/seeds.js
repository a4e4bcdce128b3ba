/** `sow`: the first and the last month, both included. `[11, 2]` is from November to February. */
export const seeds = [
  { name: 'Basil', kind: 'herb', sow: [4, 6] },
  { name: 'Broad bean', kind: 'vegetable', sow: [11, 2] },
  { name: 'Carrot', kind: 'vegetable', sow: [3, 7] },
  { name: 'Chives', kind: 'herb', sow: [3, 4] },
  { name: 'Cornflower', kind: 'flower', sow: [9, 4] },
  { name: 'Garlic', kind: 'vegetable', sow: [10, 12] },
  { name: 'Marigold', kind: 'flower', sow: [5, 5] },
  { name: 'Radish', kind: 'vegetable', sow: [3, 9] },
];
