import type { ImageBlock } from '../../../shared/message';
import {
  blocksOf,
  isObject,
  type Json,
  type OtherStep,
  type OtherSteps,
  type PlacedLine,
  parseObject,
  str,
  timeOf,
} from './other-steps';

/**
 * Reads a log of Codex up to one line, or all of it. Pure.
 *
 * @param lines the lines with their places in bytes.
 * @param until the place of the line up to which it is read: before a prompt, or behind anything else; null: all.
 */
export function codexSteps(lines: readonly PlacedLine[], until: number | null): OtherSteps {
  const steps: OtherStep[] = [];
  let [cwd, unread]: [string | null, number] = [null, 0];
  let model = '';
  /** Answers have no ids: whatever comes between two prompts is one. */
  let answer = 0;
  for (const { line, offset } of lines) {
    if (line === null) {
      unread += 1;
      continue;
    }
    const payload = isObject(line['payload']) ? line['payload'] : {};
    if (line['type'] === 'session_meta') cwd = str(payload['cwd']) || cwd;
    if (line['type'] === 'turn_context') model = str(payload['model']) || model;
    if (line['type'] !== 'response_item') continue;
    const at = timeOf(line['timestamp']);
    const step = stepOf(payload, at, { model, messageId: `codex_${answer}`, offset });
    if (step?.kind === 'prompt' && until !== null && offset >= until)
      return { steps, prompt: offset === until ? step.content : null, cwd, title: '', unread };
    if (until !== null && offset > until && step?.kind !== 'result')
      return { steps, prompt: null, cwd, title: '', unread };
    if (step === null) continue;
    if (step.kind !== 'answer') answer += 1;
    steps.push(step);
  }
  return { steps, prompt: null, cwd, title: '', unread };
}

function stepOf(
  payload: Json,
  at: number,
  {
    offset,
    ...facts
  }: { readonly model: string; readonly messageId: string; readonly offset: number },
): OtherStep | null {
  const callId = str(payload['call_id']);
  switch (payload['type']) {
    case 'message': {
      const blocks = blocksOf(payload['content']).filter(({ text }) => !isInjected(str(text)));
      const text = wordsOf(blocks);
      const words = text === '' ? [] : [{ type: 'text' as const, text }];
      if (payload['role'] === 'assistant')
        return words[0] === undefined ? null : { ...facts, at, kind: 'answer', block: words[0] };
      const content = [...words, ...blocks.flatMap(imageIn)];
      if (payload['role'] !== 'user' || content.length === 0) return null;
      return { at, kind: 'prompt', content, synthetic: false, offset };
    }
    case 'function_call':
    case 'custom_tool_call': {
      const input = inputOf(payload['arguments'] ?? payload['input']);
      const name = str(payload['name']) || 'call';
      return { ...facts, at, kind: 'answer', block: { type: 'tool_use', id: callId, name, input } };
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const text = outputOf(payload['output']);
      const content = text === '' ? [] : [{ type: 'text' as const, text }];
      return { at, kind: 'result', callId, content, isError: false };
    }
    default:
      return null;
  }
}

/** Tells whether the program put a text in front of the user's words. */
export const isInjected = (text: string): boolean =>
  /^(?:<(?:environment_context|user_instructions|permissions|INSTRUCTIONS)\b|# AGENTS\.md instructions for )/i.test(
    text.trimStart(),
  );

/** Returns the image that a block holds in its address; none of an image elsewhere. */
function imageIn({ image_url: url }: Json): readonly ImageBlock[] {
  const [, media_type, data] = /^data:(image\/[a-z]+);base64,(.+)$/s.exec(str(url)) ?? [];
  if (media_type === undefined || data === undefined) return [];
  return [{ type: 'image', source: { type: 'base64', media_type, data } }];
}

const wordsOf = (content: unknown): string =>
  blocksOf(content)
    .map(({ text }) => str(text))
    .filter((text) => text !== '')
    .join('\n');

function inputOf(input: unknown): Json {
  if (isObject(input)) return input;
  const parsed = parseObject(str(input));
  return parsed ?? (str(input) === '' ? {} : { input: str(input) });
}

/** Returns the text of an output, which is one or an object that has it. */
export const outputOf = (output: unknown): string => {
  if (isObject(output)) return str(output['content']) || str(output['output']);
  return typeof output === 'string' ? output : wordsOf(output);
};
