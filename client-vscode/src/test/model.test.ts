import assert from 'node:assert/strict';
import { test } from 'node:test';

import { OutlineModel } from '../outline/model';
import { sectionNodes, type MoreNode, type SectionNode } from '../outline/nodes';
import { RequestError } from '../protocol';
import { FakeServer, outline, section } from './fakes';

const incident = (id: string, line: number, end = line): ReturnType<typeof section> =>
  section(id, line, end, { kind: 'incident', facts: { severity: 'error' } });

/** A log of two segments; the second has its incidents listed only when they are asked for. */
function log(): { model: OutlineModel; server: FakeServer } {
  const server = new FakeServer(({ section: inside, cursor }) => {
    if (inside === 'second') {
      return outline([incident('c', 600, 610), incident('d', 700)]);
    }
    if (cursor === 'merged') {
      return outline([section('x', 901, 920), section('y', 921, 940), section('behind', 950, 1000)], { next: 'on' });
    }
    if (cursor === 'page') {
      return outline([section('last', 941, 1000)]);
    }
    return outline(
      [
        section('first', 1, 500, { facts: { incidents: 2 }, children: [incident('a', 100), incident('b', 200, 220)] }),
        section('second', 501, 900, { facts: { incidents: 2 }, more: { count: 2, cursor: 'in-second' } }),
        section('x..y', 901, 940, { kind: 'group', facts: { of: 'block' }, more: { count: 2, cursor: 'merged' } }),
      ],
      { next: 'page' },
    );
  });
  return { model: new OutlineModel('file:///f.log', server), server };
}

const ids = (nodes: Iterable<{ kind: string }>): string[] =>
  [...nodes].map((node) => (node.kind === 'section' ? (node as SectionNode).section.id : node.kind));

test('what came along is there; the rest is asked for once', async () => {
  const { model, server } = log();
  await model.load();
  assert.deepEqual(ids(model.roots), ['first', 'second', 'x..y', 'more']);
  const [first, second] = sectionNodes(model.roots);
  assert.ok(first && second);
  assert.deepEqual(ids(await model.children(first)), ['a', 'b']);
  assert.equal(server.asked.length, 1);
  const [one, other] = await Promise.all([model.children(second), model.children(second)]);
  assert.equal(one, other);
  assert.deepEqual(ids(one), ['c', 'd']);
  assert.equal(server.asked.length, 2);
});

test('merged siblings are listed by their cursor, and end where they end', async () => {
  const { model } = log();
  await model.load();
  const merged = sectionNodes(model.roots)[2];
  assert.ok(merged);
  assert.deepEqual(ids(await model.children(merged)), ['x', 'y']);
});

test('a page takes the place of what stood for it', async () => {
  const { model } = log();
  await model.load();
  await model.listMore(model.roots.at(-1) as MoreNode);
  assert.deepEqual(ids(model.roots), ['first', 'second', 'x..y', 'last']);
});

test('a provisional outline has no cursors, so that what it merged cannot be unfolded', async () => {
  const merged = section('a..b', 1, 10, { kind: 'group', more: { count: 2, cursor: '' } });
  const model = new OutlineModel('u', new FakeServer(() => outline([merged], { state: 'provisional' })));
  await model.load();
  const [node] = sectionNodes(model.roots);
  assert.ok(node);
  assert.deepEqual(await model.children(node), []);
});

test('from incident to incident, over what has to be listed first', async () => {
  const { model } = log();
  await model.load();
  const forth: number[] = [];
  for (let line = 0; ;) {
    const found = await model.incident(line, 'next');
    if (found === undefined) {
      break;
    }
    line = found.startLine;
    forth.push(line);
  }
  assert.deepEqual(forth, [100, 200, 600, 700]);
  const back: number[] = [];
  for (let line = Infinity; ;) {
    const found = await model.incident(line, 'previous');
    if (found === undefined) {
      break;
    }
    line = found.startLine;
    back.push(line);
  }
  assert.deepEqual(back, [700, 600, 200, 100]);
});

test('inside an incident, the previous one is its own beginning', async () => {
  const { model } = log();
  await model.load();
  assert.equal((await model.incident(210, 'previous'))?.startLine, 200);
});

test('faults of the content are incidents too', async () => {
  const problems = [
    { message: 'a', line: 5, byte: 40 },
    { message: 'b', line: 9, byte: 80 },
  ];
  const model = new OutlineModel(
    'u',
    new FakeServer(() => outline([section('object', 1, 10, { kind: 'object' })], { problems })),
  );
  await model.load();
  assert.equal((await model.incident(5, 'next'))?.title, 'b');
  assert.equal((await model.incident(9, 'previous'))?.title, 'a');
  assert.equal(await model.incident(9, 'next'), undefined);
});

test('the innermost section at a place, listed on the way', async () => {
  const { model } = log();
  await model.load();
  const found = await model.locate(605);
  assert.equal(found?.section.id, 'c');
  assert.equal(found.parent?.section.id, 'second');
  assert.equal((await model.locate(650))?.section.id, 'second');
});

test('inside one line, columns tell sections apart', async () => {
  const model = new OutlineModel(
    'u',
    new FakeServer(() =>
      outline([section('left', 1, 1, { endColumn: 50 }), section('right', 1, 1, { startColumn: 50 })]),
    ),
  );
  await model.load();
  assert.equal((await model.locate(1, 49))?.section.id, 'left');
  assert.equal((await model.locate(1, 50))?.section.id, 'right');
});

test('the sections of a range, with as many requests as are allowed', async () => {
  const { model, server } = log();
  await model.load();
  assert.deepEqual(ids(await model.overlapping(150, 650, 0)), ['first', 'b', 'second']);
  assert.equal(server.asked.length, 1);
  assert.deepEqual(ids(await model.overlapping(150, 650, 5)), ['first', 'b', 'second', 'c']);
});

test('digests that come in later stay, also on what is listed later', async () => {
  const { model } = log();
  await model.load();
  model.addDigests([
    { id: 'first', digest: 'one' },
    { id: 'd', digest: 'two' },
  ]);
  const [first, second] = sectionNodes(model.roots);
  assert.ok(first && second);
  assert.equal(first.section.digest, 'one');
  assert.equal(sectionNodes(await model.children(second))[1]?.section.digest, 'two');
});

test('an error is kept with its sentence, and the next outline takes its place', async () => {
  let fails = true;
  const model = new OutlineModel(
    'u',
    new FakeServer(() => {
      if (fails) {
        throw new RequestError('There is no such file.', 'not_found');
      }
      return outline([]);
    }),
  );
  await model.load();
  assert.deepEqual([model.phase, model.error?.message], ['failed', 'There is no such file.']);
  fails = false;
  await model.load();
  assert.deepEqual([model.phase, model.error], ['ready', undefined]);
});

test('an older answer that comes late is dropped', async () => {
  const waiting: ((value: unknown) => void)[] = [];
  const model = new OutlineModel('u', new FakeServer(() => new Promise((resolve) => waiting.push(resolve))));
  const first = model.load();
  const second = model.load();
  waiting[1]?.(outline([section('new', 1, 2)]));
  waiting[0]?.(outline([section('old', 1, 2)]));
  await Promise.all([first, second]);
  assert.deepEqual(ids(model.roots), ['new']);
});

test('a cancelled load leaves what was shown', async () => {
  let cancels = false;
  const model = new OutlineModel(
    'u',
    new FakeServer(() => {
      if (cancels) {
        throw new RequestError('The request was cancelled.', 'cancelled');
      }
      return outline([section('shown', 1, 2)]);
    }),
  );
  await model.load();
  cancels = true;
  await model.load();
  assert.deepEqual([model.phase, ...ids(model.roots)], ['ready', 'shown']);
});
