/** An OpenAI-compatible server on this machine that answers what the extension's server asks, and remembers what it got. */

import { createServer, type Server } from 'node:http';

export interface Call {
  readonly authorization: string;
  readonly prompt: string;
}

export class ModelServer {
  readonly calls: Call[] = [];
  /** How long an answer takes. */
  delayMs = 0;
  readonly #server: Server;
  #port = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts).toString('utf8');
        if (!request.url?.endsWith('/chat/completions')) {
          response.writeHead(404).end();
          return;
        }
        const asked = JSON.parse(body) as { messages: { content: unknown }[] };
        const prompt = asked.messages
          .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
          .join('\n');
        this.calls.push({
          authorization: request.headers.authorization ?? '',
          prompt,
        });
        setTimeout(() => {
          response.writeHead(200, { 'Content-Type': 'application/json' });
          response.end(JSON.stringify(completion(prompt)));
        }, this.delayMs);
      });
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    this.#port = typeof address === 'object' && address !== null ? address.port : 0;
  }

  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get baseUrl(): string {
    return `http://${this.host}/v1`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function completion(prompt: string): unknown {
  const sections = [...new Set([...prompt.matchAll(/^(s\d+): /gm)].map((match) => match[1]))];
  const quoted = /^q1: (.*)$/m.exec(prompt) ? 'q1' : (/\| (.*(?:ERROR|FATAL|WARN).*)$/m.exec(prompt)?.[1] ?? '');
  const reply = {
    summary:
      'The model was here: <img src=x onerror=alert(1)> [a link](https://example.com) and a database with a deadlock.',
    quotes: quoted === '' ? [] : [quoted],
    sections: sections.map((id) => ({
      id,
      title: `Read by the model, ${id}`,
      kind: 'segment',
      digest: 'What the model made of it.',
    })),
    answer: {
      found: quoted !== '',
      text: 'Two transactions waited for each other.',
      quotes: quoted === '' ? [] : [quoted],
    },
    followups: ['Which statements were part of the deadlock?'],
  };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'tiny',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: { role: 'assistant', content: JSON.stringify(reply) },
      },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
  };
}
