// Tests that fail, for a capture of npm's and node's own output. Usage: npm test (see npm.sh)
'use strict';
const test = require('node:test');
const assert = require('node:assert');

for (let width = 1; width <= 15; width++) {
  test(`a label ${width} wide`, () => assert.ok('x'.repeat(width).length === width));
}
test('the address is trimmed', () => assert.strictEqual(' Graz '.trimStart(), 'Graz'));
test('labels are sorted', () => assert.deepStrictEqual([10, 9, 1].sort(), [1, 9, 10]));
test('a missing template', () => require('./templates/missing.js'));
