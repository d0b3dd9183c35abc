import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatAnchor, parsePlace } from '../anchors';

const lines = (path: string | undefined, start: number, end: number): object => ({ kind: 'lines', path, start, end });

const PLACES: [text: string, place: object | undefined][] = [
  ['app.log:206-213', lines('app.log', 206, 213)],
  ['logs/app.log:206', lines('logs/app.log', 206, 206)],
  ['206-213', lines(undefined, 206, 213)],
  ['  206 ', lines(undefined, 206, 206)],
  [':42', lines(undefined, 42, 42)],
  ['1,001–2,000', lines(undefined, 1001, 2000)],
  ['213-206', lines(undefined, 206, 213)],
  ['C:\\logs\\app.log:5', lines('C:\\logs\\app.log', 5, 5)],
  ['C:\\logs\\app.log:5-7', lines('C:\\logs\\app.log', 5, 7)],
  ['src/main.c:12:5', lines('src/main.c', 12, 12)],
  ['README.md#L10-L20', lines('README.md', 10, 20)],
  ['a file.log:7', lines('a file.log', 7, 7)],
  ['`app.log:206-213`', lines('app.log', 206, 213)],
  ['(app.log:206-213).', lines('app.log', 206, 213)],
  ['@282:42', { kind: 'bytes', path: undefined, offset: 282, length: 42 }],
  ['bundle.js:@282:42', { kind: 'bytes', path: 'bundle.js', offset: 282, length: 42 }],
  ['@64,000', { kind: 'bytes', path: undefined, offset: 64000, length: undefined }],
  ['', undefined],
  ['app.log', undefined],
  ['app.log:0', undefined],
  ['app.log:12-', undefined],
  ['-5', undefined],
  ['app.log:99999999999999999999', undefined],
];

for (const [text, place] of PLACES) {
  test(`the place in “${text}”`, () => assert.deepEqual(parsePlace(text), place));
}

test('what is written is read back', () => {
  for (const [path, start, end] of [
    ['a.log', 1, 1],
    ['dir/with space/a-1.log', 10, 2000],
    ['odd:name.log', 3, 4],
    ['ends-in-12', 5, 6],
  ] as const) {
    assert.deepEqual(parsePlace(formatAnchor(path, start, end)), lines(path, start, end));
  }
});
