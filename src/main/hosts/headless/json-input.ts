import type { Readable } from 'node:stream';
import { z } from 'zod';
import { createChannel } from '../../../shared/channel';
import { ImageBlock, TextBlock, type UserBlock } from '../../../shared/message';
import { err, fault, ok, type Result } from '../../../shared/result';
import { inputLines, MAX_LINE_LENGTH } from './input-lines';

/** A prompt of a user: words, or words and pictures. */
export type Prompt = string | readonly UserBlock[];

/** A prompt as a program sends it. */
export interface SentPrompt {
  readonly prompt: Prompt;
  /** Its name, where the program gave it one. */
  readonly id?: string;
  /** It goes along with the next one, and is not answered for itself. */
  readonly isSilent: boolean;
  /** No command and no mention is looked for in it. */
  readonly isAsWritten: boolean;
}

/** A request of a program that drives Lathe, beside prompts; `subtype` says what it asks, the rest is its own. */
export interface ControlRequest {
  readonly id: string;
  readonly request: Readonly<Record<string, unknown>> & { readonly subtype: string };
}

/** A request in the middle of a run. */
export interface RunningRequest extends ControlRequest {
  /** Aborts when the program withdraws it. */
  readonly withdrawn: AbortSignal;
  /** It is answered, and cannot be withdrawn any more. */
  over(): void;
}

/** One line of `--input-format stream-json`. */
type JsonLine =
  | { readonly kind: 'prompt'; readonly prompt: Result<SentPrompt>; readonly isNoJson?: boolean }
  | { readonly kind: 'control'; readonly control: ControlRequest }
  /** The answer to something that Lathe asked. */
  | { readonly kind: 'answer'; readonly response: unknown }
  | { readonly kind: 'withdrawal'; readonly id: unknown }
  /** A sign of life, or something that this version does not know. */
  | { readonly kind: 'nothing' };

/** Standard input, read as it comes, so that what drives Lathe can interrupt it. */
export interface JsonInput {
  readonly prompts: AsyncIterable<Result<SentPrompt>>;
  readonly controls: AsyncIterable<RunningRequest>;
  readonly waiting: WaitingPrompts;
  /**
   * Resolves with the `initialize` that comes before any prompt, null when none does. The error says that one was to come,
   * or that what came may have been one that nobody can read: a run without what it asks for must not begin.
   */
  readonly begun: Promise<Result<ControlRequest | null>>;
  /** Resolves when nothing more is read. */
  readonly done: Promise<void>;
}

/** The prompts with a name whose turn has not come. */
export interface WaitingPrompts {
  ids(): readonly string[];
  /** Drops one; false when it does not wait. */
  cancel(id: string): boolean;
  /** Takes one whose turn has come; false when it was dropped. */
  take(id: string): boolean;
}

/** Creates it, and what adds to it. */
function createWaiting(): WaitingPrompts & { add(id: string): void } {
  let waiting: readonly { readonly id: string; readonly isDropped: boolean }[] = [];
  return {
    add: (id) => {
      waiting = [...waiting, { id, isDropped: false }];
    },
    ids: () => waiting.flatMap(({ id, isDropped }) => (isDropped ? [] : id)),
    cancel: (id) => {
      const at = waiting.findIndex((one) => one.id === id && !one.isDropped);
      if (at >= 0) waiting = waiting.with(at, { id, isDropped: true });
      return at >= 0;
    },
    take: (id) => {
      const at = waiting.findIndex((one) => one.id === id);
      const isDropped = waiting[at]?.isDropped === true;
      if (at >= 0) waiting = waiting.toSpliced(at, 1);
      return !isDropped;
    },
  };
}

/** Prompts and requests that may wait before no more is read. */
const MAX_WAITING = 100;

const TextDocument = z
  .object({
    type: z.literal('document'),
    source: z.object({ type: z.literal('text'), data: z.string() }),
  })
  .transform(({ source }) => ({ type: 'text' as const, text: source.data }));
/** A block that Lathe cannot pass on: the model hears that there was one. */
const Unreadable = z.looseObject({ type: z.string() }).transform(({ type }) => ({
  type: 'text' as const,
  text: `[a block of type ${type}: left out]`,
}));
const Block = z.union([TextBlock, ImageBlock, TextDocument, Unreadable]);

/** The blocks of what was pasted that go along: of more, the model hears how many were left out. */
const MAX_PASTED = 1_000;
const Pasted = z.array(z.union([z.string(), z.array(Block)])).nullish();

const UserLine = z.object({
  type: z.literal('user'),
  message: z.object({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(Block).min(1)]),
  }),
  uuid: z.uuid().nullish().catch(null),
  shouldQuery: z.boolean().nullish().catch(null),
  client_composed: z.boolean().nullish().catch(null),
  /** Pastes of the user, behind the words they typed. */
  pasted_content: z.unknown().optional(),
});
/** A name or a subtype that cannot be read is `''`. */
const ControlLine = z.object({
  type: z.literal('control_request'),
  request_id: z.string().catch(''),
  request: z.looseObject({ subtype: z.string().catch('') }).catch({ subtype: '' }),
});

/** Reads until the input or the signal ends. `onAnswer` gets answers at once, also while prompts wait. */
export function readJsonInput(
  input: Readable,
  signal: AbortSignal,
  onAnswer: (response: unknown) => void,
  awaitsInitialize: boolean,
): JsonInput {
  const begun = Promise.withResolvers<Result<ControlRequest | null>>();
  let isBegun = false;
  const begin = (control: Result<ControlRequest | null>) => {
    isBegun = true;
    begun.resolve(control);
  };
  const prompts = createChannel<Result<SentPrompt>>(MAX_WAITING);
  const controls = createChannel<RunningRequest>(MAX_WAITING);
  const open = new Map<unknown, AbortController>();
  const waiting = createWaiting();
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
        if (line.kind === 'answer') onAnswer(line.response);
        if (line.kind === 'prompt') {
          if (line.isNoJson === true && !line.prompt.ok) begin(line.prompt);
          if (!awaitsInitialize) begin(ok(null));
          if (line.prompt.ok && line.prompt.value.id !== undefined)
            waiting.add(line.prompt.value.id);
          await prompts.push(line.prompt);
        }
        if (line.kind === 'withdrawal') open.get(line.id)?.abort();
        if (line.kind !== 'control') continue;
        const { control } = line;
        const { id, request } = control;
        if (id === '' || request.subtype === '') begin(err(UNREADABLE));
        if (!isBegun && request.subtype === 'initialize') begin(ok(control));
        else {
          const stop = new AbortController();
          open.set(id, stop);
          const over = () => open.delete(id);
          await controls.push({ ...control, withdrawn: stop.signal, over });
        }
      }
    }
  };
  const done = read().finally(() => {
    signal.removeEventListener('abort', stop);
    begin(awaitsInitialize ? err(NOT_BEGUN) : ok(null));
    prompts.close();
    controls.close();
  });
  return { prompts, controls, waiting, begun: begun.promise, done };
}

const UNREADABLE = fault(
  'bad_request',
  'A control request that may have been the beginning cannot be read, so the run ends here.',
);
const NOT_BEGUN = fault('not_begun', 'The program hung up before it began the run.');

/** Reads one line; `number` is told in what is wrong with it. */
function readJsonLine(line: string, number: number): JsonLine {
  const value = parseJson(line);
  if (value === undefined)
    return { kind: 'prompt', prompt: promptOf(value, number), isNoJson: true };
  const control = ControlLine.safeParse(value);
  if (control.success) {
    const { request_id: id, request } = control.data;
    return { kind: 'control', control: { id, request } };
  }
  const type = typeof value === 'object' && value !== null ? Reflect.get(value, 'type') : null;
  if (type === 'control_response')
    return { kind: 'answer', response: Reflect.get(Object(value), 'response') };
  if (type === 'control_cancel_request')
    return { kind: 'withdrawal', id: Reflect.get(Object(value), 'request_id') };
  // Programs of other versions say more than this one knows; a prompt is always called one.
  if (typeof type === 'string' && type !== 'user' && type !== 'control_request')
    return { kind: 'nothing' };
  return { kind: 'prompt', prompt: promptOf(value, number) };
}

function promptOf(value: unknown, number: number): Result<SentPrompt> {
  const parsed = UserLine.safeParse(value);
  if (!parsed.success)
    return err(
      fault(
        'bad_input_line',
        `Line ${number} of standard input is no user message.`,
        'Expected: {"type":"user","message":{"role":"user","content":"…"}}, where content may be text and image blocks',
      ),
    );
  const { message, uuid, shouldQuery, client_composed: isComposed } = parsed.data;
  const pasted = pastedBlocks(parsed.data.pasted_content);
  const content = pasted.length === 0 ? message.content : [...blocksOf(message.content), ...pasted];
  const sent = {
    ...(uuid == null ? {} : { id: uuid }),
    isSilent: shouldQuery === false,
    isAsWritten: isComposed === true,
  };
  if (typeof content !== 'string' && content.some(({ type }) => type === 'image'))
    return ok({ prompt: content, ...sent });
  const text =
    typeof content === 'string'
      ? content
      : content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n');
  return text.trim() === ''
    ? err(fault('no_prompt', `The message on line ${number} of standard input is empty.`))
    : ok({ prompt: text, ...sent });
}

/** Returns the blocks of what was pasted, and a few words in the place of those that cannot go along. */
function pastedBlocks(value: unknown): readonly UserBlock[] {
  const parsed = Pasted.safeParse(value);
  if (!parsed.success) return [note('what was pasted has no form that can be read: left out')];
  const blocks = (parsed.data ?? []).flatMap(blocksOf);
  const left = blocks.length - MAX_PASTED;
  return left <= 0
    ? blocks
    : [...blocks.slice(0, MAX_PASTED), note(`${left} more blocks of what was pasted: left out`)];
}

const note = (words: string): UserBlock => ({ type: 'text', text: `[${words}]` });

const blocksOf = (content: Prompt): readonly UserBlock[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

const tooLongLine = (number: number): JsonLine => ({
  kind: 'prompt',
  isNoJson: true,
  prompt: err(
    fault(
      'bad_input_line',
      `Line ${number} of standard input is longer than ${MAX_LINE_LENGTH} characters.`,
      'Save what it holds to a file and name the file in the prompt.',
    ),
  ),
});

/** Returns the value of a text, undefined where it is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
