/**
 * The floor: the least a program must do to make the same turns. node:http and node:child_process, no product around them:
 * no prompt, no permissions, no terminal, no log, no limits. `ANTHROPIC_BASE_URL` says where the API is.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });
const url = `${process.env.ANTHROPIC_BASE_URL}/v1/messages`;
const messages = [{ role: 'user', content: process.argv[2] ?? 'go' }];

function ask() {
  const body = JSON.stringify({ model: 'm', max_tokens: 8000, stream: true, messages });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (res) => {
      const blocks = [];
      let rest = '';
      res.setEncoding('utf8').on('data', (chunk) => {
        const events = (rest + chunk).split('\n\n');
        rest = events.pop();
        for (const text of events) take(JSON.parse(text.slice(text.indexOf('data: ') + 6)), blocks);
      });
      res.on('end', () => resolve(blocks));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function take(event, blocks) {
  if (event.type === 'content_block_start')
    blocks[event.index] = { ...event.content_block, json: '' };
  if (event.type !== 'content_block_delta') return;
  const block = blocks[event.index];
  if (event.delta.type === 'text_delta') block.text += event.delta.text;
  else block.json += event.delta.partial_json;
}

const shell = (command) =>
  new Promise((resolve) => {
    execFile('/bin/bash', ['-c', command], (_error, out, err) => resolve(out + err));
  });

async function result({ id, name, input }) {
  const content =
    name === 'Bash' ? await shell(input.command) : await readFile(input.file_path, 'utf8');
  return { type: 'tool_result', tool_use_id: id, content };
}

while (true) {
  const content = (await ask()).map(({ json, ...block }) =>
    block.type === 'tool_use' ? { ...block, input: JSON.parse(json) } : block,
  );
  messages.push({ role: 'assistant', content });
  const uses = content.filter(({ type }) => type === 'tool_use');
  if (uses.length === 0) break;
  messages.push({ role: 'user', content: await Promise.all(uses.map(result)) });
}
process.stdout.write(`${messages.at(-1).content[0].text}\n`);
process.exit(0);
