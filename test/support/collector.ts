import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const Value = z.union([
  z.object({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z.object({ intValue: z.coerce.number() }).transform(({ intValue }) => intValue),
  z.object({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
  z.object({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue),
  z.object({ arrayValue: z.unknown() }).transform(({ arrayValue }) => JSON.stringify(arrayValue)),
]);
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .default([])
  .transform((all) => Object.fromEntries(all.map(({ key, value }) => [key, value])));
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.coerce.number(),
  endTimeUnixNano: z.coerce.number(),
  attributes: Attributes,
  events: z.array(z.object({ name: z.string(), attributes: Attributes })).default([]),
  status: z.object({ code: z.number().default(0) }).default({ code: 0 }),
});
/** A span as it came over the wire. */
export type SentSpan = z.infer<typeof Span>;
const Body = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

/** A collector that takes spans over OTLP/HTTP. */
export interface Collector {
  readonly url: string;
  readonly spans: SentSpan[];
  readonly resources: Record<string, unknown>[];
  readonly headers: IncomingHttpHeaders[];
  /** All that was sent, as text. */
  readonly bodies: string[];
  close(): Promise<void>;
}

/** Starts a collector. `answers`: whether it answers at all. */
export async function startCollector({ answers = true } = {}): Promise<Collector> {
  const [spans, resources, headers, bodies]: [
    SentSpan[],
    Record<string, unknown>[],
    IncomingHttpHeaders[],
    string[],
  ] = [[], [], [], []];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString('utf8');
      bodies.push(body);
      headers.push(request.headers);
      if (request.method !== 'POST' || request.url !== '/v1/traces') {
        response.writeHead(404).end();
        return;
      }
      for (const { resource, scopeSpans } of Body.parse(JSON.parse(body)).resourceSpans) {
        resources.push(resource.attributes);
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      }
      if (answers) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    ...{ spans, resources, headers, bodies },
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}

/** Draws spans as a tree of names, children in the order in which they began. */
export function treeOf(spans: readonly SentSpan[]): string[] {
  const below = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter(({ parentSpanId }) => (parentSpanId || undefined) === parent)
      .toSorted((a, b) => a.startTimeUnixNano - b.startTimeUnixNano)
      .flatMap(({ name, spanId }) => [`${'  '.repeat(depth)}${name}`, ...below(spanId, depth + 1)]);
  return below(undefined, 0);
}
