/** The floor of a long answer: the SDK alone, reading the stream to its end and keeping the text. */
import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ apiKey: 'bench', baseURL: process.env.ANTHROPIC_BASE_URL });
const stream = await client.messages.create({
  model: 'claude-sonnet-5-5',
  max_tokens: 8000,
  stream: true,
  messages: [{ role: 'user', content: 'go' }],
});
let text = '';
for await (const event of stream)
  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
    text += event.delta.text;
process.stdout.write(`${text}\n`, () => process.exit(0));
