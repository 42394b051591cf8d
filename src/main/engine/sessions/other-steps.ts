import { type AssistantBlock, type ResultContent, UserBlock } from '../../../shared/message';

/** One step of another agent's conversation, told without its format. `at`: epoch milliseconds; 0 when it is not known. */
export type OtherStep = {
  readonly at: number;
  /** The id of its message, where Lathe wrote it: the copy is known by the same lines. */
  readonly id?: string;
} & (
  | {
      readonly kind: 'prompt';
      readonly content: readonly UserBlock[];
      /** The program wrote it, not a user. */
      readonly synthetic: boolean;
      /** The place of its line. Bytes. */
      readonly offset: number;
    }
  | {
      readonly kind: 'answer';
      /** Blocks of one answer share it. */
      readonly messageId: string;
      readonly model: string;
      readonly block: AssistantBlock;
    }
  | {
      readonly kind: 'result';
      readonly callId: string;
      readonly content: readonly ResultContent[];
      readonly isError: boolean;
    }
  /** All before it was replaced by a summary. */
  | { readonly kind: 'summary'; readonly text: string }
);

/** The part of another agent's log that a copy takes over. */
export interface OtherSteps {
  readonly steps: readonly OtherStep[];
  /** The prompt that the copy stops before, for the draft; null: it goes on behind what was chosen. */
  readonly prompt: readonly UserBlock[] | null;
  readonly cwd: string | null;
  readonly title: string;
  /** Lines that are no JSON object. */
  readonly unread: number;
}

/** An object of a line, as JSON has it. */
export type Json = Readonly<Record<string, unknown>>;

/** A line with its place in bytes; null where it is no JSON object. */
export interface PlacedLine {
  readonly offset: number;
  readonly line: Json | null;
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the object that a line is; null when it is none. */
export function parseObject(text: string): Json | null {
  try {
    const line: unknown = JSON.parse(text);
    return isObject(line) ? line : null;
  } catch {
    return null;
  }
}

export const str = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the time of a line in epoch milliseconds; 0 when it has none. */
export function timeOf(time: unknown): number {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isFinite(at) && at > 0 ? at : 0;
}

/** Returns the blocks of a content that is a text, a list of blocks or something else. */
export const blocksOf = (content: unknown): readonly Json[] => {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
};

/** Returns the texts and images of a content; what else it has is named in a text. */
export const partsOf = (content: unknown): readonly (UserBlock & ResultContent)[] =>
  blocksOf(content).flatMap((block): readonly (UserBlock & ResultContent)[] => {
    if (block['type'] === 'text' && str(block['text']) === '') return [];
    const known = UserBlock.safeParse(
      block['type'] === 'text' ? { type: 'text', text: block['text'] } : block,
    );
    if (known.success && known.data.type !== 'tool_result') return [known.data];
    return [{ type: 'text', text: `[A block of the type ${str(block['type'])} was here.]` }];
  });
