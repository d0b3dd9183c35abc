/**
 * A summary or answer as a document: as Markdown to keep, and as HTML to read beside the file.
 *
 * Both are made from the reply's values. Text of the file or of a model is escaped and stays text, whatever it holds.
 */

import { formatAnchor } from '../anchors';
import { bytes, counted, duration, escapeMarkdown, fence } from '../format';
import { severityOf } from '../outline/presentation';
import type { Quote, Section } from '../protocol';
import { describeReading, describeScope, type Run } from './runs';

/** Makes the address behind a link in the HTML: of a place in the file, or of a command. */
export interface Links {
  place(start: number, end: number, hash: string | null): string;
  command(name: 'resume' | 'ask' | 'markdown' | 'dump', argument: string): string;
}

export function titleOf(run: Run): string {
  const name = run.path.split(/[\\/]/).at(-1) ?? run.path;
  const scope = describeScope(run.scope);
  const of = scope === '' ? name : `${scope} of ${name}`;
  return run.question === '' ? `Summary of ${of}` : run.question;
}

/** What was read, by whom, at what cost: one line. */
export function factsOf(run: Run): string[] {
  const { stats } = run.reply;
  const facts = [];
  if (stats.totalLines !== null) {
    facts.push(counted(stats.totalLines, 'line'));
  }
  facts.push(bytes(stats.totalBytes), stats.summarizer === 'extractive' ? 'offline' : stats.summarizer);
  const reading = describeReading(run);
  if (reading !== '') {
    facts.push(reading);
  }
  if (stats.calls > 0) {
    facts.push(
      counted(stats.calls, 'call'),
      `${counted(stats.inputTokens, 'token')} in, ${stats.outputTokens.toLocaleString('en-US')} out`,
    );
  }
  if (stats.droppedEntries > 0) {
    facts.push(`${counted(stats.droppedEntries, 'statement')} dropped that the file does not bear out`);
  }
  facts.push(duration(stats.durationMs));
  return facts;
}

/** Why a run is not complete; empty where it is. */
export function noticeOf(run: Run): string {
  const { reply } = run;
  if (reply.error !== undefined) {
    return `Stopped early: ${reply.error.message}`;
  }
  if (reply.stats.chunksRead < reply.stats.chunksTotal && reply.cursor !== '') {
    return run.question !== '' && reply.answer?.found === true
      ? 'Answered before the end of the file was reached.'
      : `Only ${describeReading(run)}.`;
  }
  return '';
}

// Markdown

export function markdownOf(run: Run): string {
  const { reply } = run;
  const name = run.path.split(/[\\/]/).at(-1) ?? run.path;
  const lines = [`# ${escapeMarkdown(titleOf(run))}`, '', `\`${run.path}\` · ${factsOf(run).join(' · ')}`, ''];
  const notice = noticeOf(run);
  if (notice !== '') {
    lines.push(`> ${escapeMarkdown(notice)}`, '');
  }
  if (reply.answer !== undefined) {
    lines.push('## Answer', '', escapeMarkdown(reply.answer.text), '');
    for (const quote of reply.answer.quotes) {
      const ticks = fence(quote.text);
      lines.push(`[${anchor(name, quote)}](${linkTo(run.path, quote.startLine)})`, '', ticks, quote.text, ticks, '');
    }
  }
  if (reply.summary !== '') {
    lines.push(run.question === '' ? '## Summary' : '## What was read', '', escapeMarkdown(reply.summary), '');
  }
  if (reply.outline.length > 0) {
    lines.push('## Outline', '', ...entries(reply.outline, run.path, ''), '');
  }
  if ('content' in reply && reply.content) {
    const ticks = fence(reply.content);
    lines.push('## Text', '', 'The file is small: here it is.', '', ticks, reply.content.replace(/\n$/, ''), ticks, '');
  }
  if (reply.followups.length > 0) {
    lines.push('## Next questions', '', ...reply.followups.map((one) => `- ${escapeMarkdown(one)}`), '');
  }
  return `${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

function anchor(name: string, place: { startLine: number; endLine: number }): string {
  return formatAnchor(name, place.startLine, place.endLine);
}

function linkTo(path: string, line: number): string {
  const encoded = path.replace(/\\/g, '/').split('/').map(encodeURIComponent).join('/');
  return `${encoded}#L${line}`;
}

function entries(sections: readonly Section[], path: string, indent: string): string[] {
  return sections.flatMap((section) => {
    const range =
      section.startLine === section.endLine ? `${section.startLine}` : `${section.startLine}-${section.endLine}`;
    const digest = section.digest === '' ? '' : `: ${escapeMarkdown(section.digest)}`;
    return [
      `${indent}- [${range}](${linkTo(path, section.startLine)}) **${escapeMarkdown(section.title)}**${digest}`,
      ...entries(section.children, path, `${indent}  `),
    ];
  });
}

// HTML

export function htmlOf(run: Run, links: Links): string {
  const { reply } = run;
  const parts = [
    `<header><h1>${escapeHtml(titleOf(run))}</h1>`,
    `<p class="facts"><span class="path">${escapeHtml(run.path)}</span> · ${factsOf(run).map(escapeHtml).join(' · ')}</p></header>`,
  ];
  const notice = noticeOf(run);
  if (notice !== '') {
    const resume = reply.cursor === '' ? '' : ` ${link(links.command('resume', run.id), 'Go on', 'button')}`;
    parts.push(`<p class="notice" role="status"><span>${escapeHtml(notice)}</span>${resume}</p>`);
  }
  if (reply.answer !== undefined) {
    const kind = reply.answer.found ? 'answer' : 'answer none';
    parts.push(`<section class="${kind}">${proseHtml(reply.answer.text, run, links)}`);
    parts.push(...reply.answer.quotes.map((quote, index) => quoteHtml(quote, run, links, run.hashes[index] ?? null)));
    parts.push('</section>');
  }
  if (reply.summary !== '') {
    const heading = reply.answer === undefined ? '' : '<h2>What was read</h2>';
    parts.push(`<section>${heading}${proseHtml(reply.summary, run, links)}</section>`);
  }
  if (reply.outline.length > 0) {
    parts.push(`<section><h2>Outline</h2>${outlineHtml(reply.outline, links)}`);
    const omitted = reply.omittedSections ?? 0;
    parts.push(
      omitted === 0
        ? '</section>'
        : `<p class="facts">${counted(omitted, 'further entry', 'further entries')} left out.</p></section>`,
    );
  }
  if ('content' in reply && reply.content) {
    parts.push(
      `<section><h2>Text</h2><p class="facts">The file is small: here it is.</p><pre>${escapeHtml(reply.content)}</pre></section>`,
    );
  }
  if (reply.followups.length > 0) {
    const items = reply.followups.map((one) => {
      const argument = JSON.stringify([run.file, one]);
      return `<li>${link(links.command('ask', argument), one)}</li>`;
    });
    parts.push(`<section><h2>Next questions</h2><ul class="questions">${items.join('')}</ul></section>`);
  }
  const dump = reply.stats.dump;
  const dumped = dump === undefined ? '' : ` · ${link(links.command('dump', dump), 'Debug dump')}`;
  parts.push(`<footer>${link(links.command('markdown', run.id), 'Open as Markdown')}${dumped}</footer>`);
  return parts.join('\n');
}

/** The forms in which the server names lines: at the beginning of a sentence of its own, or in brackets. */
const LINES_NAMED = /(?<=^|\()([Ll]ines? )(\d+(?:,\d{3})*)(?:( to |-|–)(\d+(?:,\d{3})*))?(?=\)| says)/gm;

/** A text in which lines that the server computed are links. A model is not to be trusted with numbers: its are none. */
function proseHtml(text: string, run: Run, links: Links): string {
  const { summarizer, totalLines } = run.reply.stats;
  if (summarizer !== 'extractive') {
    return blocks(escapeHtml(text));
  }
  const linked = escapeHtml(text).replace(
    LINES_NAMED,
    (named: string, _word: string, first: string, _to: unknown, last?: string) => {
      const start = Number(first.replaceAll(',', ''));
      const end = last === undefined ? start : Number(last.replaceAll(',', ''));
      const isThere = start >= 1 && start <= end && end <= (totalLines ?? 0);
      return isThere ? `<a href="${escapeHtml(links.place(start, end, null))}">${named}</a>` : named;
    },
  );
  return blocks(linked);
}

/** Paragraphs, and lists where lines begin with a dash. */
function blocks(html: string): string {
  const runs = html.trim().split(/\n{2,}|\n(?=- )|(?<=^- .*)\n(?!- )/m);
  const made: string[] = [];
  let items: string[] = [];
  const end = (): void => {
    if (items.length > 0) {
      made.push(`<ul class="found">${items.join('')}</ul>`);
      items = [];
    }
  };
  for (const run of runs) {
    if (run.startsWith('- ')) {
      items.push(`<li>${run.slice(2)}</li>`);
    } else {
      end();
      made.push(`<p class="text">${run}</p>`);
    }
  }
  end();
  return made.join('');
}

function quoteHtml(quote: Quote, run: Run, links: Links, hash: string | null): string {
  const name = run.path.split(/[\\/]/).at(-1) ?? run.path;
  const label = anchor(name, quote);
  const address = links.place(quote.startLine, quote.endLine, hash);
  const checked = quote.verified ? '<span class="checked" title="Compared with the file">✓ in the file</span>' : '';
  return `<figure><figcaption>${link(address, label)} ${checked}</figcaption><pre>${escapeHtml(quote.text)}</pre></figure>`;
}

function outlineHtml(sections: readonly Section[], links: Links): string {
  const items = sections.map((section) => {
    const range =
      section.startLine === section.endLine ? `${section.startLine}` : `${section.startLine}–${section.endLine}`;
    const severity = severityOf(section) ?? 'plain';
    const digest = section.digest === '' ? '' : ` <span class="digest">${escapeHtml(section.digest)}</span>`;
    const inside = section.children.length === 0 ? '' : outlineHtml(section.children, links);
    return (
      `<li class="${severity}">${link(links.place(section.startLine, section.endLine, null), range, 'range')}` +
      `<span><span class="title">${escapeHtml(section.title)}</span>${digest}${inside}</span></li>`
    );
  });
  return `<ul class="outline">${items.join('')}</ul>`;
}

function link(address: string, text: string, kind = ''): string {
  return `<a${kind === '' ? '' : ` class="${kind}"`} href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;
}

export function escapeHtml(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
}
