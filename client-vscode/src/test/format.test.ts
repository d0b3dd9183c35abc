import assert from 'node:assert/strict';
import { test } from 'node:test';

import { bytes, clip, counted, duration, escapeMarkdown, fence } from '../format';

test('sizes in decimal units', () => {
  const sizes: [number, string][] = [
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1000, '1.0 KB'],
    [97_257, '97 KB'],
    [999_499, '999 KB'],
    [999_500, '1.0 MB'],
    [299_999_832, '300 MB'],
    [1_234_567_890, '1.2 GB'],
  ];
  for (const [value, text] of sizes) {
    assert.equal(bytes(value), text);
  }
});

test('counts', () => {
  assert.equal(counted(1, 'line'), '1 line');
  assert.equal(counted(2_100_000, 'line'), '2,100,000 lines');
  assert.equal(counted(2, 'entry', 'entries'), '2 entries');
});

test('durations', () => {
  assert.deepEqual([420, 9_940, 48_000, 125_000].map(duration), ['0.4 s', '9.9 s', '48 s', '2 min 5 s']);
});

test('a text on one line, cut at a character', () => {
  assert.equal(clip('one\n two\t three', 40), 'one two three');
  assert.equal(clip('🌍🌎🌏🌐', 3), '🌍🌎…');
});

test('nothing of a text comes to life in Markdown', () => {
  const hostile = '<img src=x> [a](b) *x* `y` http://e.example www.e.example $(sync) # head';
  const escaped = escapeMarkdown(hostile);
  for (const live of [
    /(?<!\\)</,
    /(?<!\\)\[/,
    /(?<!\\)\*/,
    /(?<!\\)`/,
    /(?<!\\):\/\//,
    /www\.e/,
    /(?<!\\)\$\(/,
    /(?<!\\)#/,
  ]) {
    assert.doesNotMatch(escaped, live);
  }
  assert.equal(escapeMarkdown('- a\n1. b'), '\\- a\n1\\. b');
});

test('a fence is longer than what it holds', () => {
  assert.equal(fence('plain'), '```');
  assert.equal(fence('a ```` b'), '`````');
});
