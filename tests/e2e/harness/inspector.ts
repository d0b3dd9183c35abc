/** What an extension host costs, seen from outside: its memory, and how long its event loop was held up. */

import { readFileSync } from 'node:fs';

/** Proportional set size of some processes together, in megabytes. */
export function memoryOf(pids: readonly number[]): number {
  let kilobytes = 0;
  for (const pid of pids) {
    try {
      kilobytes += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // it has ended
    }
  }
  return kilobytes / 1024;
}

/** Evaluates expressions in a Node process. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (value: unknown) => void>();
  #next = 1;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as { id?: number; result?: { result?: { value?: unknown } } };
      if (message.id !== undefined) {
        this.#waiting.get(message.id)?.(message.result?.result?.value);
        this.#waiting.delete(message.id);
      }
    });
  }

  /** Attach to a Node process, which opens its debugger's port on a signal. */
  static async attach(pid: number): Promise<Inspector> {
    process.kill(pid, 'SIGUSR1');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const targets = (await (await fetch(`http://127.0.0.1:9229/json/list`)).json()) as {
      webSocketDebuggerUrl: string;
    }[];
    const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', reject, { once: true });
    });
    return new Inspector(socket);
  }

  evaluate(expression: string): Promise<unknown> {
    const id = this.#next++;
    const params = { expression, returnByValue: true, includeCommandLineAPI: true, awaitPromise: true };
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params }));
    });
  }

  close(): void {
    this.#socket.close();
  }
}
