import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { McpServerSetting } from '../../../src/main/engine/settings/mcp-servers';

/** A server whose answers are written in `body`: what happens at each method, over `answer` and `write`. */
export async function badServer(
  folder: string,
  body: string,
  name = 'bad',
): Promise<McpServerSetting> {
  const file = join(folder, `${name.length}-server.cjs`);
  await writeFile(
    file,
    `const answers = {
      initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'bad', version: '1' } }),
      'tools/list': () => ({ tools: [{ name: 'hello', inputSchema: { type: 'object' } }] }),
      'tools/call': () => ({ content: [{ type: 'text', text: 'Hello.' }] }),
    };
    const write = (text) => process.stdout.write(text);
    const send = (message) => write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    ${body}
    let rest = '';
    process.stdin.setEncoding('utf8').on('data', (text) => {
      const lines = (rest + text).split('\\n');
      rest = lines.pop();
      for (const line of lines) {
        const { id, method, params } = JSON.parse(line);
        if (id === undefined) continue;
        const answer = answers[method] && answers[method](params, id);
        if (answer) send({ id, result: answer });
      }
    });
    process.stdin.on('end', () => process.exit());`,
  );
  return {
    name,
    command: process.execPath,
    args: [file],
    env: {},
    alwaysLoad: true,
    file: '.mcp.json',
  };
}
