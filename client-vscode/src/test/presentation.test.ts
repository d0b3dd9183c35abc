import assert from 'node:assert/strict';
import { test } from 'node:test';

import { choices, describeFilter, visibleNodes, type Filter } from '../outline/filter';
import { nodesOf, rootsOf, walk } from '../outline/nodes';
import {
  descriptionOf,
  factsOfFile,
  iconOf,
  labelOf,
  rangeOf,
  severityOf,
  spokenOf,
  tooltipOf,
} from '../outline/presentation';
import { outline, section } from './fakes';

const error = section('e', 206, 213, {
  title: 'deadlock detected',
  kind: 'incident',
  digest: 'DETAIL: Process 13612 waits',
  facts: { severity: 'error', total_count: 37, severities: { fatal: 1, error: 2 }, empty: [], daemon: true },
});

test('severity and kind give the icon', () => {
  assert.deepEqual(iconOf(error), { id: 'error', color: 'list.errorForeground' });
  assert.equal(iconOf(section('w', 1, 1, { kind: 'incident', facts: { severity: 'warning' } })).id, 'warning');
  assert.equal(iconOf(section('s', 1, 9)).id, 'history');
  assert.equal(iconOf(section('n', 1, 9, { kind: 'something new' })).id, 'symbol-misc');
  assert.equal(severityOf(section('r', 1, 1, { kind: 'error' })), 'error');
  assert.equal(severityOf(section('s', 1, 9)), undefined);
});

test('the range stands first in the description', () => {
  assert.equal(descriptionOf(error), '206-213 · ×37 · DETAIL: Process 13612 waits');
  assert.equal(rangeOf(section('o', 5, 5)), '5');
  assert.equal(rangeOf(section('o', 1, 1, { startByte: 282, endByte: 324, startColumn: 282 })), '@282:42');
});

test('a section without a title still has a name', () => {
  assert.equal(labelOf(section('o', 1200, 1300, { title: ' ', kind: 'front_matter' })), 'front matter at line 1,200');
});

test('the tooltip has all facts, and nothing in it is live', () => {
  const text = tooltipOf({ ...error, title: '<b>[x](command:y)</b>' });
  assert.match(text, /incident, lines 206 to 213 \(8 lines, 80 bytes\)/);
  assert.match(text, /- severities: fatal 1, error 2/);
  assert.match(text, /- daemon: yes/);
  assert.doesNotMatch(text, /empty/);
  assert.doesNotMatch(text, /(?<!\\)</);
  assert.doesNotMatch(text, /(?<!\\)\[x/);
});

test('what a screen reader says', () => {
  assert.equal(spokenOf(error), 'error incident, deadlock detected, lines 206 to 213, DETAIL: Process 13612 waits');
});

test('what a file is', () => {
  assert.equal(factsOfFile(outline([])), 'log · 10 KB · 1,000 lines');
  assert.equal(factsOfFile(outline([], { encoding: 'utf-16-le', totalLines: 1 })), 'log · 10 KB · 1 line · utf-16-le');
  assert.equal(factsOfFile(outline([], { format: 'binary', encoding: 'binary', totalLines: null })), 'binary · 10 KB');
});

test('problems come first', () => {
  const roots = rootsOf('u', outline([section('a', 1, 2)], { problems: [{ message: 'cut off', line: 2, byte: 9 }] }));
  assert.deepEqual(
    roots.map(({ kind }) => kind),
    ['problems', 'section'],
  );
});

const filter = (severities: string[], kinds: string[] = []): Filter =>
  ({ severities: new Set(severities), kinds: new Set(kinds) }) as Filter;

test('a filter keeps what matches, what holds it, and what may hold it unseen', () => {
  const warning = section('w', 20, 20, { kind: 'incident', facts: { severity: 'warning' } });
  const nodes = nodesOf(
    'u',
    [
      section('with', 1, 50, { children: [{ ...error, startLine: 10, endLine: 11 }, warning] }),
      section('without', 51, 60, { children: [warning] }),
      section('unseen', 61, 70, { more: { count: 3, cursor: 'c' }, facts: { incidents: 3, severities: { error: 3 } } }),
      section('calm', 71, 80, { more: { count: 3, cursor: 'c' }, facts: { incidents: 0, severities: {} } }),
    ],
    undefined,
  );
  const shown = visibleNodes(nodes, filter(['error']));
  assert.deepEqual(
    shown.map((node) => (node.kind === 'section' ? node.section.id : node.kind)),
    ['with', 'unseen'],
  );
  assert.equal(visibleNodes(nodes, filter([])).length, 4);
  assert.equal(describeFilter(filter(['error'], ['front_matter'])), 'error, front matter');
});

test('what can be chosen from is what is there', () => {
  const found = choices(nodesOf('u', [section('s', 1, 9, { children: [error] })], undefined));
  assert.deepEqual([...found.severities], [['error', 1]]);
  assert.deepEqual([...found.kinds.keys()], ['segment', 'incident']);
});

test('parents come before children', () => {
  const nodes = nodesOf('u', [section('s', 1, 9, { children: [section('t', 2, 3)] })], undefined);
  assert.deepEqual(
    [...walk(nodes)].map((node) => node.section.id),
    ['s', 't'],
  );
});
