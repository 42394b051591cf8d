import type { Readable } from 'node:stream';
import { z } from 'zod';
import { createChannel } from '../../../shared/channel';
import { ImageBlock, TextBlock, type UserBlock } from '../../../shared/message';
import { err, fault, ok, type Result } from '../../../shared/result';
import { inputLines, MAX_LINE_LENGTH } from './input-lines';

/** A prompt of a person: words, or words and pictures. */
export type Prompt = string | readonly UserBlock[];

/** A request of a program that drives Lathe, beside prompts; `subtype` says what it asks, the rest is its own. */
export interface ControlRequest {
  readonly id: string;
  readonly request: Readonly<Record<string, unknown>> & { readonly subtype: string };
}

/** One line of `--input-format stream-json`. */
type JsonLine =
  | { readonly kind: 'prompt'; readonly prompt: Result<Prompt> }
  | { readonly kind: 'control'; readonly control: ControlRequest }
  /** A sign of life, or an answer to a question that Lathe never asks. */
  | { readonly kind: 'nothing' };

/** Standard input, read as it comes, so that what drives Lathe can interrupt it. */
export interface JsonInput {
  readonly prompts: AsyncIterable<Result<Prompt>>;
  readonly controls: AsyncIterable<ControlRequest>;
  /** Resolves when nothing more is read. */
  readonly done: Promise<void>;
}

/** Prompts that may wait before no more is read. */
const MAX_WAITING = 100;

const UserLine = z.object({
  type: z.literal('user'),
  message: z.object({
    role: z.literal('user'),
    content: z.union([
      z.string(),
      z.array(z.discriminatedUnion('type', [TextBlock, ImageBlock])).min(1),
    ]),
  }),
});
const ControlLine = z.object({
  type: z.literal('control_request'),
  request_id: z.string(),
  request: z.looseObject({ subtype: z.string() }),
});
const QUIET: ReadonlySet<unknown> = new Set([
  'keep_alive',
  'control_response',
  'control_cancel_request',
]);

/** Reads until the input or the signal ends. */
export function readJsonInput(input: Readable, signal: AbortSignal): JsonInput {
  const prompts = createChannel<Result<Prompt>>(MAX_WAITING);
  const controls = createChannel<ControlRequest>(MAX_WAITING);
  const stop = () => input.destroy();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const read = async () => {
    let number = 0;
    for await (const lines of inputLines(input)) {
      for (const { text, tooLong } of lines) {
        number += 1;
        if (text.trim() === '' && !tooLong) continue;
        const line = tooLong ? tooLongLine(number) : readJsonLine(text, number);
        if (line.kind === 'prompt') await prompts.push(line.prompt);
        if (line.kind === 'control') await controls.push(line.control);
      }
    }
  };
  const done = read().finally(() => {
    signal.removeEventListener('abort', stop);
    prompts.close();
    controls.close();
  });
  return { prompts, controls, done };
}

/** Reads one line; `number` is told in what is wrong with it. */
function readJsonLine(line: string, number: number): JsonLine {
  const value = parseJson(line);
  const control = ControlLine.safeParse(value);
  if (control.success) {
    const { request_id: id, request } = control.data;
    return { kind: 'control', control: { id, request } };
  }
  if (typeof value === 'object' && value !== null && QUIET.has(Reflect.get(value, 'type')))
    return { kind: 'nothing' };
  return { kind: 'prompt', prompt: promptOf(value, number) };
}

function promptOf(value: unknown, number: number): Result<Prompt> {
  const parsed = UserLine.safeParse(value);
  if (!parsed.success)
    return err(
      fault(
        'bad_input_line',
        `Line ${number} of standard input is no user message.`,
        'Expected: {"type":"user","message":{"role":"user","content":"…"}}, where content may be text and image blocks',
      ),
    );
  const { content } = parsed.data.message;
  if (typeof content !== 'string' && content.some(({ type }) => type === 'image'))
    return ok(content);
  const text =
    typeof content === 'string'
      ? content
      : content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n');
  return text.trim() === ''
    ? err(fault('no_prompt', `The message on line ${number} of standard input is empty.`))
    : ok(text);
}

const tooLongLine = (number: number): JsonLine => ({
  kind: 'prompt',
  prompt: err(
    fault(
      'bad_input_line',
      `Line ${number} of standard input is longer than ${MAX_LINE_LENGTH} characters.`,
      'Save what it holds to a file and name the file in the prompt.',
    ),
  ),
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
