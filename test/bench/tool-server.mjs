// A tool server over standard input and output with as many tools as its first argument says.
import { createInterface } from 'node:readline';

const tools = Array.from({ length: Number(process.argv[2]) }, (_, i) => ({
  name: `tool_${i}`,
  description: `Looks up record ${i} of the harbour, with its berths, ships, tides and the notes that people left there.`,
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'The name that the record is kept under.' },
      since: { type: 'string', description: 'The day from which on changes count.' },
    },
    required: ['name'],
  },
}));

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'bench', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params ?? {});
  const reply = result ? { result } : { error: { code: -32601, message: 'no such method' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...reply })}\n`);
});
