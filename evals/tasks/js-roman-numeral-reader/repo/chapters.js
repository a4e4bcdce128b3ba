'use strict';

const { toRoman } = require('./roman.js');

process.argv.slice(2).forEach((title, i) => {
  console.log(`${toRoman(i + 1)}. ${title}`);
});
