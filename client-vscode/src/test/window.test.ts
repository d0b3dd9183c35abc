import assert from 'node:assert/strict';
import { test } from 'node:test';

import { destination } from '../window/destination';
import {
  describeWindow,
  neighbour,
  placeOfWindow,
  windowUri,
  type WindowContent,
  type WindowPlace,
} from '../window/place';

const MB = 1_000_000;
const SITUATION = { size: 1 * MB, hasEditor: false, confirmationBytes: 10 * MB, windowAboveBytes: 256 * MB };

test('where a jump goes', () => {
  assert.equal(destination(SITUATION), 'editor');
  assert.equal(destination({ ...SITUATION, size: 30 * MB }), 'window', 'a placeholder shows');
  assert.equal(destination({ ...SITUATION, size: 30 * MB, hasEditor: true }), 'editor', 'the person has opened it');
  assert.equal(
    destination({ ...SITUATION, size: 60 * MB, confirmationBytes: 1024 * MB }),
    'editor',
    'no document, but an editor',
  );
  assert.equal(destination({ ...SITUATION, size: 300 * MB, confirmationBytes: 1024 * MB }), 'window', 'too large');
  assert.equal(destination({ ...SITUATION, size: undefined }), 'editor', 'an unsaved text');
});

const file = 'file:///logs/app.log';

test('a window’s URI keeps the name’s end, and is read back', () => {
  const place: WindowPlace = { file, lines: { start: 1001, end: 2000 } };
  const uri = windowUri(place, 'app.log');
  assert.equal(uri.path, '/1001-2000 app.log');
  assert.deepEqual(placeOfWindow(uri.query), place);
  const range: WindowPlace = { file, bytes: { offset: 0, length: 64_000 } };
  assert.deepEqual(placeOfWindow(windowUri(range, 'a.json').query), range);
});

test('another query is no place', () => {
  for (const query of [
    '',
    '{',
    'null',
    '{"file":1}',
    JSON.stringify({ file }),
    JSON.stringify({ file, lines: { start: 0, end: 2 } }),
    JSON.stringify({ file, lines: { start: 5, end: 2 } }),
    JSON.stringify({ file, bytes: { offset: -1, length: 2 } }),
  ]) {
    assert.equal(placeOfWindow(query), undefined, query);
  }
});

const CONTENT: WindowContent = {
  startLine: 1001,
  endLine: 2000,
  startByte: 10_000,
  endByte: 20_000,
  totalLines: null,
  isInsideLine: false,
  isAtEnd: false,
};
const PLACE: WindowPlace = { file, lines: { start: 1001, end: 2000 } };

test('lines before and behind', () => {
  assert.deepEqual(neighbour(PLACE, CONTENT, 'next', 500)?.lines, { start: 2001, end: 2500 });
  assert.deepEqual(neighbour(PLACE, CONTENT, 'previous', 500)?.lines, { start: 501, end: 1000 });
  assert.deepEqual(neighbour(PLACE, { ...CONTENT, startLine: 101 }, 'previous', 500)?.lines, { start: 1, end: 100 });
  assert.equal(neighbour(PLACE, { ...CONTENT, startLine: 1 }, 'previous', 500), undefined);
  assert.equal(neighbour(PLACE, { ...CONTENT, isAtEnd: true }, 'next', 500), undefined);
  assert.deepEqual(neighbour(PLACE, { ...CONTENT, totalLines: 2100 }, 'next', 500)?.lines, { start: 2001, end: 2100 });
});

test('inside a long line, bytes before and behind', () => {
  const place: WindowPlace = { file, bytes: { offset: 10_000, length: 10_000 } };
  const content = { ...CONTENT, isInsideLine: true };
  assert.deepEqual(neighbour(place, content, 'next', 500)?.bytes, { offset: 20_000, length: 10_000 });
  assert.deepEqual(neighbour(place, { ...content, startByte: 4_000 }, 'previous', 500)?.bytes, {
    offset: 0,
    length: 4_000,
  });
  assert.equal(neighbour(place, { ...content, startByte: 0 }, 'previous', 500), undefined);
});

test('a window in words', () => {
  assert.equal(describeWindow(PLACE, CONTENT), 'Lines 1,001–2,000');
  assert.equal(describeWindow(PLACE, { ...CONTENT, totalLines: 2_100_000 }), 'Lines 1,001–2,000 of 2,100,000');
  assert.equal(describeWindow(PLACE, { ...CONTENT, endLine: 1001 }), 'Line 1,001');
  assert.equal(
    describeWindow({ file, bytes: { offset: 10_000, length: 1 } }, { ...CONTENT, startLine: 1, isInsideLine: true }),
    '10 KB from byte 10,000 on, line 1',
  );
});
