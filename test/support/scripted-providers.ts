import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import type { ErrorReply, MessageReply } from './scripted-api-replies';
import { streamSteps, wholeMessage } from './scripted-api-stream';

/** One request as a cloud provider got it. */
interface ProviderRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ScriptedProvider {
  readonly url: string;
  readonly requests: readonly ProviderRequest[];
  close(): Promise<void>;
}

type Answer = MessageReply | ErrorReply;

/**
 * Bedrock or Vertex on 127.0.0.1: their paths, and Bedrock's binary event frames. Answers in order; the last one
 * again when they run out.
 */
export async function startScriptedProvider(
  kind: 'bedrock' | 'vertex',
  answers: readonly Answer[],
): Promise<ScriptedProvider> {
  const requests: ProviderRequest[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const path = decodeURIComponent(req.url ?? '');
      requests.push({
        path,
        headers: Object.fromEntries(Object.entries(req.headers).map(([k, v]) => [k, String(v)])),
        body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
      });
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      if (answer !== undefined) send(kind, path, answer, res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(kind: 'bedrock' | 'vertex', path: string, answer: Answer, res: ServerResponse): void {
  if (answer.kind === 'error') {
    res.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    res.end(JSON.stringify(answer.body));
    return;
  }
  let calls = 0;
  const facts = {
    messageId: `msg_${kind}`,
    model: 'claude-opus-5-5',
    callId: () => `toolu_${kind}_${++calls}`,
    sign: () => 'signed elsewhere',
  };
  if (!/stream/i.test(path)) {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify(wholeMessage(answer, facts)));
    return;
  }
  const type = kind === 'bedrock' ? 'application/vnd.amazon.eventstream' : 'text/event-stream';
  res.writeHead(200, { 'content-type': type });
  for (const step of streamSteps(answer, facts)) {
    if (!('event' in step)) continue;
    const json = JSON.stringify(step.data);
    res.write(kind === 'bedrock' ? chunkFrame(json) : `event: ${step.event}\ndata: ${json}\n\n`);
  }
  res.end();
}

/** One `chunk` event in Amazon's framing: lengths, checksums, headers, payload. */
function chunkFrame(json: string): Buffer {
  const headers = Buffer.concat([
    header(':event-type', 'chunk'),
    header(':content-type', 'application/json'),
    header(':message-type', 'event'),
  ]);
  const payload = Buffer.from(
    JSON.stringify({ bytes: Buffer.from(json).toString('base64'), p: 'abc' }),
  );
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + payload.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const start = Buffer.concat([prelude, checksum(prelude), headers, payload]);
  return Buffer.concat([start, checksum(start)]);
}

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(value.length);
  const STRING = 7;
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([STRING]),
    length,
    Buffer.from(value),
  ]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
