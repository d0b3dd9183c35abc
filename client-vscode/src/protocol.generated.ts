// Made from server/milepost/schemas/lsp.json by scripts/generate_protocol.py: change the models, not this file.

/** A place in a file that can be found again after the file has changed. */
export interface Anchor {
  /** The first line, 1-based. */
  startLine: number;
  /** The last line, inclusive. */
  endLine: number;
  /** A hash of the place's first bytes, as an earlier reply gave it. Without it, the reply makes the anchor. */
  headHash?: string;
}

/** What the file says to a question. */
export interface Answer {
  /** The answer; says so where nothing was found. */
  text: string;
  /** The file answers the question. */
  found: boolean;
  /** The lines that prove it. */
  quotes: Quote[];
}

/** The answer to a question about a file. */
export interface AskReply {
  /** The file. */
  path: string;
  /** The summary so far, at most 4 KB; of a binary file, its size and sha256. */
  summary: string;
  /** What was found, in file order. */
  outline: Section[];
  /** Goes on where this reply stopped; empty where there is nothing to go on with. */
  cursor: string;
  /** The walk stopped before its end, or something was left out to fit the reply's cap. */
  truncated: boolean;
  /** Questions that suggest themselves. */
  followups: string[];
  /** What was read and used. */
  stats: SummaryStats;
  /** The answer; left out where no question was asked. */
  answer?: Answer;
  /** Why the walk stopped early; what was found until then is kept. */
  error?: ErrorInfo;
  /** What the run would send, where `estimate_only` was set. */
  estimate?: Estimate;
  /** How many entries of the outline were left out to fit the reply's cap. */
  omittedSections?: number;
}

/** `milepost/ask`: an answer from the file, quoting the lines that prove it. */
export interface AskRequest {
  /** The file, as a `file:` URI. Exactly one of `uri` and `path` is needed. */
  uri?: string | null;
  /** The file, as a path on the machine where the server runs. Exactly one of `uri` and `path` is needed. */
  path?: string | null;
  /** Under this token the progress of the request is reported, and it can be cancelled. */
  workDoneToken?: number | string | null;
  /** The reply may be at most this many bytes long once serialized; without it the setting for this request holds. */
  maxBytes?: number | null;
  /** Only the section with this id. */
  section?: string | null;
  /** Only from this line on, 1-based. */
  startLine?: number | null;
  /** Only up to this line, inclusive. */
  endLine?: number | null;
  /** Go on where an earlier reply to the same request stopped: its `cursor`. */
  cursor?: string | null;
  /** How much of each chunk is looked at: the skeleton, the condensed view, or the full text. */
  detail?: 'outline' | 'standard' | 'deep';
  /** Stop after this many chunks, with a cursor to go on; 0 reads all. */
  maxChunks?: number;
  /** Send nothing to a model; only say in `estimate` what would be sent, how much of it, and to which host. */
  estimateOnly?: boolean;
  /** What to find out. */
  question: string;
  /** Read on to the end, also after a chunk that answers. */
  all?: boolean;
}

/** Whether the invariants hold on a file. */
export interface CheckReply {
  /** The file. */
  path: string;
  /** All of them hold. */
  ok: boolean;
  /** One by one. */
  checks: CheckResult[];
  /** Results were left out to fit the reply's cap. */
  truncated: boolean;
}

/** `milepost check`: whether the invariants of outlines, lines and chunks hold on this file. */
export interface CheckRequest {
  /** The file, as a `file:` URI. Exactly one of `uri` and `path` is needed. */
  uri?: string | null;
  /** The file, as a path on the machine where the server runs. Exactly one of `uri` and `path` is needed. */
  path?: string | null;
  /** Under this token the progress of the request is reported, and it can be cancelled. */
  workDoneToken?: number | string | null;
  /** The reply may be at most this many bytes long once serialized; without it the setting for this request holds. */
  maxBytes?: number | null;
}

/** One invariant and whether it holds. */
export interface CheckResult {
  /** Which one. */
  name: string;
  /** It holds. */
  ok: boolean;
  /** What was compared, or where it fails; one sentence. */
  message: string;
}

/** The `data` of an LSP error; the sentence is in the error's `message`. */
export interface ErrorData {
  /** One word: `file_changed`, `cursor_invalid`, `not_found`, `invalid_params` and so on. */
  kind: string;
}

/** Why something could not be done, or not to its end. */
export interface ErrorInfo {
  /** One word, the same on all doors: `file_changed`, `cursor_invalid`, `not_found`, `invalid_params` and so on. */
  kind: string;
  /** One sentence for a person. */
  message: string;
}

/** What the command line prints with `--json` instead of a reply that could not be given. */
export interface ErrorReply {
  /** What went wrong. */
  error: ErrorInfo;
}

/** What a run with a model would send, reckoned before anything is sent. */
export interface Estimate {
  /** Where the text would go. */
  host: string;
  /** The model's name there. */
  model: string;
  /** How many calls there would be. */
  calls: number;
  /** About how many tokens would be sent. */
  inputTokens: number;
  /** About how many tokens would come back. */
  outputTokens: number;
  /** About how many bytes of text would be sent. */
  inputBytes: number;
  /** The user has agreed that text is sent to this host. */
  allowed: boolean;
}

/** Where a text or pattern occurs. */
export interface FindReply {
  /** The file. */
  path: string;
  /** The hits in file order. */
  hits: Quote[];
  /** How many hits the file has from the cursor on; null where the search stopped before the end. */
  totalHits: number | null;
  /** There are, or may be, further hits. */
  truncated: boolean;
  /** How many hits were found but left out to fit the reply's cap. */
  omittedHits: number;
  /** A cursor to go on behind the last hit; null where the search came to the end. */
  next: string | null;
  /** How many lines the file has; null where only part of it was looked at. */
  totalLines: number | null;
}

/** `milepost/find`: where a text or pattern occurs, in file order, each hit with the section it lies in. */
export interface FindRequest {
  /** The file, as a `file:` URI. Exactly one of `uri` and `path` is needed. */
  uri?: string | null;
  /** The file, as a path on the machine where the server runs. Exactly one of `uri` and `path` is needed. */
  path?: string | null;
  /** Under this token the progress of the request is reported, and it can be cancelled. */
  workDoneToken?: number | string | null;
  /** The reply may be at most this many bytes long once serialized; without it the setting for this request holds. */
  maxBytes?: number | null;
  /** What to look for: a text as it stands, or with `regex` a regular expression that is matched line by line. */
  pattern: string;
  /** `pattern` is a regular expression. */
  regex?: boolean;
  /** Upper and lower case differ. */
  caseSensitive?: boolean;
  /** Go on behind the last hit of an earlier reply: its `next`. */
  cursor?: string | null;
  /** At most this many hits; without it, as many as the reply may hold. */
  maxHits?: number | null;
}

/** Children that exist but are not listed here. */
export interface More {
  /** How many children are left out here; what lies inside them is not counted. */
  count: number;
  /** Lists them: the `cursor` of an outline request. Children that were shown between them come again. */
  cursor: string;
}

/** `milepost/outlineChanged`: what was said about a file's outline no longer holds; ask again when it is shown. */
export interface OutlineChangedParams {
  /** The file. */
  uri: string;
  /** What the next outline will be. */
  state: 'provisional' | 'exact' | 'growing';
  /** The scan is complete, the file grew, the file became another one, or digests came in. */
  reason: 'exact' | 'grew' | 'changed' | 'digests';
  /** How many lines the file has now; null where that is not known. */
  totalLines: number | null;
  /** The size of the file now. */
  totalBytes: number;
  /** Digests that came in, where that is the reason. */
  digests?: SectionDigest[];
}

/** The sections of a file. At the top level their byte ranges join to the whole file. */
export interface OutlineReply {
  /** The file. */
  path: string;
  /** What the file was read as. */
  format: string;
  /** The encoding of its text, or `binary`. */
  encoding: string;
  /** `lf`, `crlf`, `cr`, `mixed`, or `none` where there is no line end. */
  lineEnding: string;
  /** How many lines end in a carriage return alone. */
  loneCr: number;
  /** How many lines the file has; null where only part of it was looked at. */
  totalLines: number | null;
  /** The size of the file. */
  totalBytes: number;
  /** `provisional` from a part of the file, `exact` once every byte was examined, `growing` while the file does. */
  state: 'provisional' | 'exact' | 'growing';
  /** Empty, or the reason why a lesser method had to do. */
  degraded: string;
  /** Something was left out; each `more` and `next` says what and how to go on. */
  truncated: boolean;
  /** The sections, in file order: of the whole file, or inside the section or from the cursor that was asked for. */
  sections: Section[];
  /** A cursor to go on listing behind the last of `sections`; null where nothing follows. */
  next: string | null;
  /** Counts and times of the scan. */
  stats: Record<string, unknown>;
  /** The id of the section whose inside this is; left out for the whole file. */
  section?: string;
  /** How many known sections at any depth were left out to fit the reply's cap. */
  omittedSections?: number;
  /** What is wrong with the file's content, where it was noticed. */
  problems?: Problem[];
}

/** `milepost/outline`: the sections of a file, or of one section of it. */
export interface OutlineRequest {
  /** The file, as a `file:` URI. Exactly one of `uri` and `path` is needed. */
  uri?: string | null;
  /** The file, as a path on the machine where the server runs. Exactly one of `uri` and `path` is needed. */
  path?: string | null;
  /** Under this token the progress of the request is reported, and it can be cancelled. */
  workDoneToken?: number | string | null;
  /** The reply may be at most this many bytes long once serialized; without it the setting for this request holds. */
  maxBytes?: number | null;
  /** How many levels of sections to list; 1 is the top level only. Without it, as many as fit. */
  depth?: number | null;
  /** At most this many sections are listed; the rest are counted in `more`. */
  maxNodes?: number | null;
  /** Read the file as this format (as `milepost outline --json` names it) instead of the one that was detected. */
  format?: string | null;
  /** List what lies inside the section with this id, instead of the top level. */
  section?: string | null;
  /** Go on where an earlier reply left sections out: a `cursor` of a `more`, or a `next`. */
  cursor?: string | null;
  /** Wait for the exact outline. Without that a long scan is answered after about a second with what there is then (`state` is `provisional`, and its cursors are empty); `milepost/outlineChanged` with the reason `exact` says when to ask again. Only the language server does so, and only for a whole file in its own format. */
  wait?: boolean;
}

/** How the file is cut into chunks. */
export interface PlanReply {
  /** The file. */
  path: string;
  /** The chunks in file order; their byte ranges join. */
  chunks: Span[];
  /** How many chunks the whole plan has. */
  chunkCount: number;
  /** How many lines the chunks cover in all. */
  lineCount: number;
  /** How many bytes the chunks cover in all: the size of the file. */
  byteCount: number;
  /** Equal for equal plans: a function of the file's bytes and the chunk size. */
  planHash: string;
  /** Not all chunks are listed. */
  truncated: boolean;
  /** How many chunks of the plan follow behind the last one listed. */
  omittedChunks: number;
  /** A cursor to list the chunks that follow; null where none do. */
  next: string | null;
}

/** `milepost/plan`: how the file would be cut into chunks for a summary. Nothing is summarized. */
export interface PlanRequest {
  /** The file, as a `file:` URI. Exactly one of `uri` and `path` is needed. */
  uri?: string | null;
  /** The file, as a path on the machine where the server runs. Exactly one of `uri` and `path` is needed. */
  path?: string | null;
  /** Under this token the progress of the request is reported, and it can be cancelled. */
  workDoneToken?: number | string | null;
  /** The reply may be at most this many bytes long once serialized; without it the setting for this request holds. */
  maxBytes?: number | null;
  /** The size to aim at, in bytes; without it the setting `chunks.target_bytes`. */
  chunkBytes?: number | null;
  /** Go on listing chunks: the `next` of an earlier reply. */
  cursor?: string | null;
}

/** Something that is wrong with the file's content, where it was noticed. */
export interface Problem {
  /** One sentence. */
  message: string;
  /** The 1-based line. */
  line: number;
  /** The offset in the file. */
  byte: number;
}

/** A place in the file with its text: a hit of a search, or a line that proves an answer. */
export interface Quote {
  /** The first line, 1-based. */
  startLine: number;
  /** The last line, inclusive. */
  endLine: number;
  /** Offset of the first byte. */
  startByte: number;
  /** Offset after the last byte. */
  endByte: number;
  /** The text, cut where it is long. */
  text: string;
  /** The id of the innermost section it lies in; null where no outline is at hand. */
  section: string | null;
  /** The text was compared with the file and stands there. */
  verified: boolean;
  /** Where it begins inside its first line, in UTF-16 units from 0; left out where it begins with the line. */
  startColumn?: number;
  /** Where it ends inside its last line, in UTF-16 units from 0; left out where it ends with the line. */
  endColumn?: number;
}

/** Where to go on reading. */
export interface ReadOn {
  /** The first byte that was not given: `start_byte` of the next request. */
  startByte: number;
  /** The 1-based line that this byte lies in. */
  line: number;
}

/** The text of a range, word for word. */
export interface ReadReply {
  /** The first line, 1-based. */
  startLine: number;
  /** The last line, inclusive. */
  endLine: number;
  /** Offset of the first byte. */
  startByte: number;
  /** Offset after the last byte. */
  endByte: number;
  /** The file. */
  path: string;
  /** The text, decoded; exactly the bytes from `start_byte` to `end_byte`. */
  content: string;
  /** The encoding that was decoded from. */
  encoding: string;
  /** Some bytes are no text in this encoding and show as U+FFFD; `content_base64` has them all. */
  lossy: boolean;
  /** How many lines the file has; null where only part of it was looked at. */
  totalLines: number | null;
  /** The range that was asked for goes on. */
  truncated: boolean;
  /** How many bytes of the range that was asked for are not in this reply. */
  omittedBytes: number;
  /** Where to go on reading; null where the range that was asked for is complete. */
  next: ReadOn | null;
  /** Where the text begins inside its first line, in UTF-16 units from 0; left out where it begins with the line. */
  startColumn?: number;
  /** Where the text ends inside its last line, in UTF-16 units from 0; left out where it ends with the line. */
  endColumn?: number;
  /** The bytes themselves, where decoding lost something. */
  contentBase64?: string;
  /** Where the text was cut: what is missing, in words. */
  notice?: string;
}

/**
 * `milepost/read`: the text of a range, word for word.
 *
 * The range is given in one of four ways: `start_line` with or without `end_line`; `offset` with or without `limit`;
 * `start_byte` with or without `length`; or `anchor`. Without any of them reading begins at the first line.
 */
export interface ReadRequest {
  /** The file, as a `file:` URI. Exactly one of `uri` and `path` is needed. */
  uri?: string | null;
  /** The file, as a path on the machine where the server runs. Exactly one of `uri` and `path` is needed. */
  path?: string | null;
  /** Under this token the progress of the request is reported, and it can be cancelled. */
  workDoneToken?: number | string | null;
  /** The reply may be at most this many bytes long once serialized; without it the setting for this request holds. */
  maxBytes?: number | null;
  /** The first line, 1-based. One past the end of the file is `out_of_range`. */
  startLine?: number | null;
  /** The last line, inclusive; past the end of the file it means the last line. Without it, `start_line` alone. */
  endLine?: number | null;
  /** The first line, 1-based, when reading on until `limit` or the reply's cap. */
  offset?: number | null;
  /** How many lines from `offset` on; without it, as many as the reply may hold. */
  limit?: number | null;
  /** The first byte, counted from 0 in the file as it is on disk. */
  startByte?: number | null;
  /** How many bytes from `start_byte` on; without it, as many as the reply may hold. */
  length?: number | null;
  /** A range as text: `START-END` or `N`; or `PATH:START-END`, which names the file in place of `uri` and `path`. */
  anchor?: string | null;
}

/** Where an anchor's text is now. */
export interface ResolveAnchorReply {
  /** The file. */
  path: string;
  /** `same` place, `moved` to another one, or `stale`: no longer in the file. */
  state: 'same' | 'moved' | 'stale';
  /** The place now, with the hash of its first bytes; a stale anchor comes back as it was. */
  anchor: Anchor;
  /** Offset of its first byte; null where it is stale. */
  startByte: number | null;
  /** Offset after its last byte; null where it is stale. */
  endByte: number | null;
  /** The id of the innermost section it lies in; null where it is stale or no outline is at hand. */
  section: string | null;
  /** Always false: an anchor is never cut. */
  truncated: boolean;
}

/** `milepost/resolveAnchor`: where an anchor's text is now. */
export interface ResolveAnchorRequest {
  /** The file, as a `file:` URI. Exactly one of `uri` and `path` is needed. */
  uri?: string | null;
  /** The file, as a path on the machine where the server runs. Exactly one of `uri` and `path` is needed. */
  path?: string | null;
  /** Under this token the progress of the request is reported, and it can be cancelled. */
  workDoneToken?: number | string | null;
  /** The reply may be at most this many bytes long once serialized; without it the setting for this request holds. */
  maxBytes?: number | null;
  /** The place, as it was. */
  anchor: Anchor;
}

/** A part of a file: contiguous, named, with an exact range. */
export interface Section {
  /** The first line, 1-based. */
  startLine: number;
  /** The last line, inclusive. */
  endLine: number;
  /** Offset of the first byte. */
  startByte: number;
  /** Offset after the last byte. */
  endByte: number;
  /** Names the section in requests. The same bytes give the same id, and it stays when the file grows. */
  id: string;
  /** One line, at most 120 bytes, free of control characters. */
  title: string;
  /** What it is: `segment`, `incident`, `group`, `heading`, `block` and so on, by format. */
  kind: string;
  /** One line on what it holds, at most 240 bytes; empty where there is nothing to add to the title. */
  digest: string;
  /** How many things it stands for: records, lines, repeats, or members of a group. */
  count: number;
  /** What was computed about it, by name (`severity`, `first`, `last`, `template` …), spelled alike on all doors. */
  facts: Record<string, unknown>;
  /** The sections inside it, in file order, as far as they are listed. */
  children: Section[];
  /** There are further children that are not listed. */
  more?: More;
  /** Where it begins inside its first line, in UTF-16 units from 0; left out where it begins with the line. */
  startColumn?: number;
  /** Where it ends inside its last line, in UTF-16 units from 0; left out where it ends with the line. */
  endColumn?: number;
  /** Long facts that were left out to fit the reply's cap, by name; a larger cap brings them back. */
  omittedFacts?: string[];
}

/** A digest that has come in for a section. */
export interface SectionDigest {
  /** The section. */
  id: string;
  /** One line on what it holds, at most 240 bytes. */
  digest: string;
}

/** A range of a file: lines are 1-based and inclusive, bytes half-open offsets in the file as it is on disk. */
export interface Span {
  /** The first line, 1-based. */
  startLine: number;
  /** The last line, inclusive. */
  endLine: number;
  /** Offset of the first byte. */
  startByte: number;
  /** Offset after the last byte. */
  endByte: number;
}

/** A summary of a file. */
export interface SummarizeReply {
  /** The file. */
  path: string;
  /** The summary so far, at most 4 KB; of a binary file, its size and sha256. */
  summary: string;
  /** What was found, in file order. */
  outline: Section[];
  /** Goes on where this reply stopped; empty where there is nothing to go on with. */
  cursor: string;
  /** The walk stopped before its end, or something was left out to fit the reply's cap. */
  truncated: boolean;
  /** Questions that suggest themselves. */
  followups: string[];
  /** What was read and used. */
  stats: SummaryStats;
  /** The answer; left out where no question was asked. */
  answer?: Answer;
  /** Why the walk stopped early; what was found until then is kept. */
  error?: ErrorInfo;
  /** What the run would send, where `estimate_only` was set. */
  estimate?: Estimate;
  /** How many entries of the outline were left out to fit the reply's cap. */
  omittedSections?: number;
  /** A small file's own text, in place of a summary. */
  content?: string;
  /** The encoding that `content` was decoded from. */
  encoding?: string;
  /** Where `content` goes on, for a read request. */
  next?: ReadOn;
  /** The outline as a short text, where it was asked for. */
  compact?: string;
}

/** `milepost/summarize`: a summary of the file that has examined every byte of it, with an outline by chunk. */
export interface SummarizeRequest {
  /** The file, as a `file:` URI. Exactly one of `uri` and `path` is needed. */
  uri?: string | null;
  /** The file, as a path on the machine where the server runs. Exactly one of `uri` and `path` is needed. */
  path?: string | null;
  /** Under this token the progress of the request is reported, and it can be cancelled. */
  workDoneToken?: number | string | null;
  /** The reply may be at most this many bytes long once serialized; without it the setting for this request holds. */
  maxBytes?: number | null;
  /** Only the section with this id. */
  section?: string | null;
  /** Only from this line on, 1-based. */
  startLine?: number | null;
  /** Only up to this line, inclusive. */
  endLine?: number | null;
  /** Go on where an earlier reply to the same request stopped: its `cursor`. */
  cursor?: string | null;
  /** How much of each chunk is looked at: the skeleton, the condensed view, or the full text. */
  detail?: 'outline' | 'standard' | 'deep';
  /** Stop after this many chunks, with a cursor to go on; 0 reads all. */
  maxChunks?: number;
  /** Send nothing to a model; only say in `estimate` what would be sent, how much of it, and to which host. */
  estimateOnly?: boolean;
  /** What the reader wants to know; the summary is written towards it. */
  question?: string | null;
  /** `sequential` carries a running summary from chunk to chunk; `parallel` summarizes chunks apart, then merges. */
  mode?: 'sequential' | 'parallel';
  /** Also give the outline as a short text, about 25 entries of 120 characters. */
  compact?: boolean;
}

/** What a summary or an answer has read and used. */
export interface SummaryStats {
  /** How many lines the file has. */
  totalLines: number | null;
  /** The size of the file. */
  totalBytes: number;
  /** How many chunks were examined, from the first request of this run on. */
  chunksRead: number;
  /** How many chunks the plan has. */
  chunksTotal: number;
  /** How many bytes were examined, from the first request of this run on. */
  bytesExamined: number;
  /** How many times a model was called. */
  calls: number;
  /** How many tokens were sent. */
  inputTokens: number;
  /** How many tokens came back. */
  outputTokens: number;
  /** How many things a model said were dropped because the file does not bear them out. */
  droppedEntries: number;
  /** How long it took. */
  durationMs: number;
  /** What summarized: `extractive`, or the name of the model. */
  summarizer: string;
  /** The file that the run's requests and replies were written to, where the setting `debug.dump` asks for that. */
  dump?: string;
}

/** Every request: what it takes and what it gives. */
export interface Requests {
  'milepost/outline': { params: OutlineRequest; result: OutlineReply };
  'milepost/read': { params: ReadRequest; result: ReadReply };
  'milepost/find': { params: FindRequest; result: FindReply };
  'milepost/plan': { params: PlanRequest; result: PlanReply };
  'milepost/summarize': { params: SummarizeRequest; result: SummarizeReply };
  'milepost/ask': { params: AskRequest; result: AskReply };
  'milepost/resolveAnchor': { params: ResolveAnchorRequest; result: ResolveAnchorReply };
}

/** Every notification and what it carries. */
export interface Notifications {
  'milepost/outlineChanged': OutlineChangedParams;
}

/** The ids under which the server takes its requests as commands. */
export const SERVER_COMMANDS = [
  'milepost.outline',
  'milepost.read',
  'milepost.find',
  'milepost.plan',
  'milepost.summarize',
  'milepost.ask',
  'milepost.resolveAnchor',
] as const;
