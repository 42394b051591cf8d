import { expect, it } from 'vitest';
import type { ModelClient, ModelRequest } from '../../../src/main/engine/model/model-client';
import { withCacheWatch } from '../../../src/main/engine/prompt/cache-watch';
import type { NamedText } from '../../../src/main/engine/prompt/section';
import { NO_USAGE } from '../../../src/shared/facts';

const request = (rest: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'claude-opus-5-5',
  maxTokens: 1,
  system: [],
  tools: [{ name: 'Read', description: 'r', input_schema: { type: 'object' } }],
  messages: [{ role: 'user', content: [{ type: 'text', text: '1' }] }],
  ...rest,
});
const answering = (missReason?: string): ModelClient => ({
  stream: async function* () {
    yield {
      type: 'message_finished',
      stopReason: 'end_turn',
      usage: NO_USAGE,
      costUsd: 0,
      ...(missReason === undefined ? {} : { cacheMissReason: missReason }),
    };
  },
});

/** Sends the requests in turn and gives what was told. */
async function told(
  steps: readonly { readonly request: ModelRequest; readonly environment?: string }[],
  missReason?: string,
): Promise<readonly string[]> {
  const lines: string[] = [];
  let sections: readonly NamedText[] = [];
  const client = withCacheWatch(answering(missReason), {
    sections: () => sections,
    tell: (line) => lines.push(line),
  });
  for (const step of steps) {
    sections = [{ name: 'environment', text: step.environment ?? 'here' }];
    for await (const _ of client.stream(step.request, new AbortController().signal)) {
      // Only what is told counts.
    }
  }
  return lines;
}

const other = { ...request(), model: 'claude-haiku-5-5' };
const edited = request({ messages: [{ role: 'user', content: [{ type: 'text', text: '2' }] }] });

it.each<[string, Parameters<typeof told>, RegExp[]]>([
  ['nothing when nothing changed', [[{ request: request() }, { request: request() }]], []],
  [
    'the section that changed',
    [[{ request: request() }, { request: request(), environment: 'there' }]],
    [/section environment: changed/],
  ],
  [
    'the tool that is new',
    [
      [
        { request: request() },
        {
          request: request({
            tools: [...request().tools, { name: 'Zoom', description: '', input_schema: {} }],
          }),
        },
      ],
    ],
    [/tool Zoom: added/],
  ],
  ['no switched model', [[{ request: request() }, { request: other }]], []],
  [
    'nothing of a request beside the conversation',
    [
      [
        { request: request() },
        { request: { ...edited, purpose: 'summary ahead' } },
        { request: request(), environment: 'there' },
      ],
      'messages_changed',
    ],
    [/^Prompt cache missed/, /section environment: changed/],
  ],
  ['no summarised history', [[{ request: request() }, { request: edited }]], []],
  [
    'but both when the API reports a miss, in its own word',
    [[{ request: request() }, { request: edited }], 'messages_changed'],
    [/missed \(the API says messages_changed\)/, /message #1: changed \(the API says/],
  ],
])('tells %s', async (_, args, expected) => {
  const lines = await told(...args);
  expect(lines).toHaveLength(expected.length);
  for (const [i, pattern] of expected.entries()) expect(lines[i]).toMatch(pattern);
});
