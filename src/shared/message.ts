import { z } from 'zod';

/**
 * Content blocks as the Messages API knows them. Unknown block types are kept as they came,
 * so that a newer API never loses content through us.
 */
export const TextBlock = z.object({
  type: z.literal('text'),
  text: z.string(),
  /** The sources of an answer's text, as the API says them; sent back unchanged. */
  citations: z.array(z.record(z.string(), z.unknown())).optional(),
});
const ThinkingBlock = z.object({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string(),
});
const RedactedThinkingBlock = z.object({
  type: z.literal('redacted_thinking'),
  data: z.string(),
});
/**
 * One request by the model to use a tool. `invalid` is set when the streamed input was cut short or was
 * no JSON object: such a call is never run, and the reason goes back to the model.
 */
export const ToolUseBlock = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  invalid: z.string().optional(),
});
export const ImageBlock = z.object({
  type: z.literal('image'),
  source: z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
});
/** A PDF, or some of its pages. */
export const DocumentBlock = z.object({
  type: z.literal('document'),
  source: z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
  title: z.string().optional(),
});
/** A block that a tool may give the model. */
export const ResultContent = z.discriminatedUnion('type', [TextBlock, ImageBlock, DocumentBlock]);
export const ToolResultBlock = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.array(ResultContent),
  is_error: z.boolean().optional(),
});
/** A block type this version does not know; passed back to the API unchanged. */
const OtherBlock = z.object({
  type: z.literal('other'),
  raw: z.record(z.string(), z.unknown()),
});

export const AssistantBlock = z.discriminatedUnion('type', [
  TextBlock,
  ThinkingBlock,
  RedactedThinkingBlock,
  ToolUseBlock,
  OtherBlock,
]);
export const UserBlock = z.discriminatedUnion('type', [TextBlock, ImageBlock, ToolResultBlock]);

export type TextBlock = z.infer<typeof TextBlock>;
export type ToolUseBlock = z.infer<typeof ToolUseBlock>;
export type ImageBlock = z.infer<typeof ImageBlock>;
export type DocumentBlock = z.infer<typeof DocumentBlock>;
export type ResultContent = z.infer<typeof ResultContent>;
export type ToolResultBlock = z.infer<typeof ToolResultBlock>;
export type AssistantBlock = z.infer<typeof AssistantBlock>;
export type UserBlock = z.infer<typeof UserBlock>;

/** Token counts of one or more requests, as the API reports them. */
export const Usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
});
export type Usage = z.infer<typeof Usage>;

/** The results and answers with thinking that the API itself left out of a request, and their tokens. */
export const ClearedByApi = z.object({
  results: z.number(),
  thinking: z.number(),
  tokens: z.number(),
});
export type ClearedByApi = z.infer<typeof ClearedByApi>;

/** A message of a user, or of a host on their behalf. `synthetic` text was written by Lathe, not by a user. */
interface UserMessage {
  readonly role: 'user';
  readonly id: string;
  readonly content: readonly UserBlock[];
  readonly synthetic?: boolean;
  /** The message before its result was cleared, for an API that clears by itself. */
  readonly uncleared?: Message;
}

/** One answer of the model. Thinking in it is bound to `model`. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly id: string;
  readonly model: string;
  readonly content: readonly AssistantBlock[];
  readonly usage?: Usage;
  /** What the request was paid with. */
  readonly costUsd?: number;
  /** The answer with the thinking that went because a result before it was cleared, for an API that clears by itself. */
  readonly uncleared?: Message;
}

/**
 * Facts computed by Lathe for the model (reminders, notifications, file contents).
 * Sent as user content inside `<system-reminder>` tags.
 */
export interface AttachmentMessage {
  readonly role: 'attachment';
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  /** Its subject (a path, a threshold), so that the same is not told twice. */
  readonly about?: string;
  readonly images?: readonly ImageBlock[];
}

/** Everything before this point was replaced by `summary`; only what follows is sent. */
export interface BoundaryMessage {
  readonly role: 'boundary';
  readonly id: string;
  readonly summary: string;
  /** Last message of the tail that was kept as it is. Thinking in that tail was made behind another prefix. */
  readonly keptUntil?: string;
  /** The API's own block of the summary, to be sent back as it is where the API takes it. */
  readonly block?: Readonly<Record<string, unknown>>;
}

/** One entry of the history that the engine keeps and sends. */
export type Message = UserMessage | AssistantMessage | AttachmentMessage | BoundaryMessage;
