import assert from 'node:assert/strict';
import { test } from 'node:test';

import { htmlOf, markdownOf, noticeOf, type Links } from '../summaries/document';
import { describeReading, Runs, type Run } from '../summaries/runs';
import { section } from './fakes';

const HOSTILE = '<script>alert(1)</script> [x](command:evil) <img src=x onerror=y>';

const RUN: Run = {
  id: 'r1',
  when: 0,
  file: 'file:///logs/app.log',
  path: 'logs/app.log',
  question: 'Why?',
  scope: {},
  hashes: ['h1'],
  reply: {
    path: '/logs/app.log',
    summary: HOSTILE,
    outline: [section('s', 5, 9, { title: HOSTILE, digest: HOSTILE })],
    cursor: 'c',
    truncated: false,
    followups: [HOSTILE],
    answer: {
      text: HOSTILE,
      found: true,
      quotes: [
        {
          text: `${HOSTILE} \`\`\``,
          startLine: 206,
          endLine: 208,
          startByte: 0,
          endByte: 9,
          section: null,
          verified: true,
        },
      ],
    },
    stats: {
      totalLines: 712,
      totalBytes: 97_257,
      chunksRead: 3,
      chunksTotal: 8,
      bytesExamined: 1,
      calls: 2,
      inputTokens: 1200,
      outputTokens: 50,
      droppedEntries: 1,
      durationMs: 2500,
      summarizer: 'tiny',
    },
  },
};

const LINKS: Links = {
  place: (start, end, hash) => `command:milepost.openPlace?${start}-${end}-${hash ?? ''}`,
  command: (name, argument) => `command:${name}?${encodeURIComponent(argument)}`,
};

test('in HTML nothing of the file or the model comes to life', () => {
  const html = htmlOf(RUN, LINKS);
  assert.doesNotMatch(html, /<script|<img|command:evil"/);
  assert.match(html, /&lt;script&gt;/);
  assert.match(html, /href="command:milepost\.openPlace\?206-208-h1">app\.log:206-208</);
  assert.match(html, /✓ in the file/);
});

test('lines that the server names are links, and those of a model are not', () => {
  const stats = { ...RUN.reply.stats, summarizer: 'extractive' };
  const summary =
    'Line 206 says: see line 7\nIt fails (line 262), again (lines 1,005 to 1,600), and (line 9999) in f (line 3).';
  const offline = htmlOf({ ...RUN, reply: { ...RUN.reply, summary, stats: { ...stats, totalLines: 2000 } } }, LINKS);
  const linked = [...offline.matchAll(/<a href="command:milepost\.openPlace\?(\d+-\d+)-">([Ll]ines? [^<]*)<\/a>/g)];
  assert.deepEqual(
    linked.map(([, place, text]) => [place, text]),
    [
      ['206-206', 'Line 206'],
      ['262-262', 'line 262'],
      ['1005-1600', 'lines 1,005 to 1,600'],
      ['3-3', 'line 3'],
    ],
  );
  assert.doesNotMatch(htmlOf({ ...RUN, reply: { ...RUN.reply, summary } }, LINKS), />line 262</);
});

test('a text in paragraphs and lists', () => {
  const summary = 'One.\n\nTwo kinds:\n- first\n- second\nThree.';
  const html = htmlOf({ ...RUN, question: '', reply: { ...RUN.reply, summary } }, LINKS);
  const text = (inner: string): string => `<p class="text">${inner}</p>`;
  const list = '<ul class="found"><li>first</li><li>second</li></ul>';
  assert.ok(html.includes(`${text('One.')}${text('Two kinds:')}${list}${text('Three.')}`), html);
});

test('in Markdown neither', () => {
  const text = markdownOf(RUN);
  // A quote's text is code, in a fence that is longer than any in it.
  const prose = text.replace(/````[\s\S]*?````/g, '');
  assert.doesNotMatch(prose, /(?<!\\)<script/);
  assert.doesNotMatch(prose, /(?<!\\)\[x\]/);
  assert.match(text, /\[app\.log:206-208\]\(logs\/app\.log#L206\)/);
  assert.match(text, /3 of 8 chunks read · 2 calls · 1,200 tokens in, 50 out · 1 statement dropped/);
});

test('why a run is not complete', () => {
  assert.equal(noticeOf(RUN), 'Answered before the end of the file was reached.');
  assert.equal(noticeOf({ ...RUN, question: '' }), 'Only 3 of 8 chunks read.');
  const error = { kind: 'cancelled', message: 'You stopped it.' };
  assert.equal(noticeOf({ ...RUN, reply: { ...RUN.reply, error } }), 'Stopped early: You stopped it.');
  const stats = { ...RUN.reply.stats, chunksRead: 8 };
  const done = { ...RUN, reply: { ...RUN.reply, stats } };
  assert.equal(noticeOf(done), '');
  assert.equal(describeReading(done), 'all 8 chunks read');
});

class Memory {
  private readonly values = new Map<string, unknown>();
  keys = (): readonly string[] => [...this.values.keys()];
  get = <T>(key: string, otherwise?: T): T => (this.values.get(key) ?? otherwise) as T;
  update = (key: string, value: unknown): Promise<void> => {
    this.values.set(key, value);
    return Promise.resolve();
  };
}

test('the latest run of a question takes the older one’s place', async () => {
  const runs = new Runs(new Memory());
  await runs.add(RUN);
  await runs.add({ ...RUN, id: 'r2', question: 'Who?' });
  await runs.add({ ...RUN, id: 'r3' });
  assert.deepEqual(
    runs.all().map(({ id }) => id),
    ['r3', 'r2'],
  );
  assert.equal(runs.resumable(RUN.file)?.id, 'r3');
  for (let index = 0; index < 40; index++) {
    await runs.add({ ...RUN, id: `n${index}`, question: `${index}` });
  }
  assert.equal(runs.all().length, 30);
});
