/** The wire as the client uses it: the generated messages, and the kinds of errors. */

export type * from './protocol.generated';
export { SERVER_COMMANDS } from './protocol.generated';

import type { Requests } from './protocol.generated';

export type Method = keyof Requests;

/** A request without what the connection adds to it. */
export type Params<M extends Method> = Omit<Requests[M]['params'], 'workDoneToken'>;

export const OUTLINE_CHANGED = 'milepost/outlineChanged';

/** How requests reach the server; what logic needs of it, so that it can be tested without one. */
export interface Requester {
  request<M extends Method>(method: M, params: Params<M>, options?: RequestOptions): Promise<Requests[M]['result']>;
}

/** What happens while a request is on its way. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ProgressReport) => void;
  /** Stopped, it answers with what was found so far: summaries and answers. */
  readonly answersWhenStopped?: boolean;
}

/** How far a request is; `percentage` of 0 to 100 where it is known. */
export interface ProgressReport {
  readonly message: string;
  readonly percentage: number | undefined;
}

/** An answer that is an error, with the server's one sentence. `kind` is the word that is the same on all doors. */
export class RequestError extends Error {
  constructor(
    message: string,
    readonly kind: string,
  ) {
    super(message);
  }
}

/** What anything that was thrown means. */
export function requestErrorOf(error: unknown): RequestError {
  if (error instanceof RequestError) {
    return error;
  }
  const message = error instanceof Error ? error.message : String(error);
  const data: unknown = typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined;
  if (typeof data === 'object' && data !== null && 'kind' in data && typeof data.kind === 'string') {
    return new RequestError(message, data.kind);
  }
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return new RequestError(message, code === CANCELLED_CODE || isAbort(error) ? 'cancelled' : 'internal');
}

const CANCELLED_CODE = -32800;

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'Canceled');
}
