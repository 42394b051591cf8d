import type { CallToolResult, Tool as ServerTool } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { ResultContent } from '../../../shared/message';
import { plainLine } from '../../../shared/plain-line';
import { ok, type Result } from '../../../shared/result';
import { createWaker } from '../../../shared/waker';
import { toolName } from '../permissions/server-names';
import { type McpServerSetting, originOf } from '../settings/mcp-servers';
import { imageFault } from '../tools/builtin/read/read-image';
import { NO_ACCESS } from '../tools/resource-access';
import { type AnyTool, defineTool, type ToolContent } from '../tools/tool';
import type { McpConnection } from './connection';
import { ALWAYS_LOAD, SEARCH_HINT } from './listed-tools';
import type { CallProgress } from './tool-calls';
import type { ToolContents } from './tool-contents';

/** The longest description of a tool that goes to the model. Characters. */
const MAX_DESCRIPTION_CHARS = 2048;
/** The longest words by which a tool is searched for, besides its description. Characters. */
const MAX_HINT_CHARS = 500;
/** The longest title of a tool on screen. Characters. */
const MAX_TITLE_CHARS = 200;
/** The most of a result that a card shows. Characters. */
const MAX_SHOWN_CHARS = 2000;

/** The largest image that the Messages API takes. Characters of base64. */
const MAX_IMAGE_CHARS = 5 * 1024 * 1024;

/** The assumed length of a token where nobody counts. Characters. */
const TOKEN_CHARS = 4;
/** The longest result that goes to the model whole. Tokens. */
const MAX_RESULT_TOKENS = 25_000;
/** A longer result is told to the user. Tokens. */
const LONG_RESULT_TOKENS = 10_000;

/** The bounds of one server's tools, and who hears of their calls. */
export interface ToolBounds {
  /** A longer one goes to a file. Characters. */
  readonly maxChars: number;
  /** Hears of a call that is allowed, with what stands for the tool. */
  onAllowed(tool: string, content: string): void;
  /** Hears of a result that takes much of the context: what to tell the user. */
  onLong(tool: string, text: string): void;
}

/**
 * Returns the longest result that goes to the model whole, in characters, as `MAX_MCP_OUTPUT_TOKENS` of an environment sets
 * it. A value that is no number of tokens counts as not set. Pure.
 */
export const maxResultChars = (env: Readonly<Record<string, string>>): number => {
  const set = env['MAX_MCP_OUTPUT_TOKENS']?.trim() ?? '';
  return (/^[1-9]\d{0,8}$/.test(set) ? Number(set) : MAX_RESULT_TOKENS) * TOKEN_CHARS;
};

/** Calls a tool of a server by its name there; the error is for the model. */
export type ToolCall = (
  ...call: Parameters<McpConnection['call']>
) => Promise<Result<CallToolResult, string>>;

const CHANGED = 'the server has changed what this tool is said to do or take';
/** Said of a call that was allowed for what its tool was before. */
export const CHANGED_SINCE =
  'The server changed or withdrew this tool after the call was allowed, so nothing ran. Look at the tool as it is now before you call it again.';

/** Its fields are the server's business: it gets the input as the model wrote it. */
const Input = z.looseObject({});

/**
 * Creates the tool for one tool of a server. The server's own word about what a tool does decides nothing about
 * permissions; it only lets calls run beside others.
 */
export function createMcpTool(
  server: Pick<McpServerSetting, 'name' | 'alwaysLoad' | 'inside' | 'origin'>,
  { name, title, description = '', inputSchema, annotations, _meta = {} }: ServerTool,
  call: ToolCall,
  contents: ToolContents,
  { maxChars, onAllowed, onLong }: ToolBounds,
): AnyTool {
  const full = toolName(server.name, name);
  const hint = _meta[SEARCH_HINT];
  // A program whose server is inside it says by a hint that the tool may wait.
  const isSent = _meta[ALWAYS_LOAD] ?? (server.alwaysLoad && !(server.inside && hint));
  const shown = plainLine(
    `${server.name}: ${title ?? annotations?.title ?? name}`,
    MAX_TITLE_CHARS,
  );
  return defineTool<Record<string, unknown>, ToolContent>({
    name: full,
    description: description.slice(0, MAX_DESCRIPTION_CHARS).toWellFormed(),
    input: Input,
    inputSchema: inputSchema as Readonly<Record<string, unknown>>,
    maxResultChars: maxChars,
    server: { name: server.name, source: originOf(server) },
    ...(isSent ? {} : { deferred: true }),
    ...(typeof hint === 'string' ? { searchHint: plainLine(hint, MAX_HINT_CHARS) } : {}),
    ...(annotations?.readOnlyHint === true ? { isRepeatable: true } : {}),
    access: async () => (annotations?.readOnlyHint === true ? NO_ACCESS : 'alone'),
    needs: async () =>
      ok([
        {
          ...({ kind: 'tool', tool: full, readOnly: false, content: contents.now(name) } as const),
          ...(contents.isChanged(name) ? { exactOnly: CHANGED } : {}),
        },
      ]),
    title: (input) => ({ verb: shown, target: firstText(input) }),
    execute: async function* (input, { signal, decided }) {
      const content = decided.find((one) => one.kind === 'tool')?.content ?? '';
      if (content !== contents.now(name)) return { ok: false, message: CHANGED_SINCE };
      contents.know(name, content);
      onAllowed(name, content);
      let latest = '';
      const over = new AbortController();
      const waker = createWaker(over.signal);
      const answering = call(
        name,
        input,
        (progress) => {
          latest = progressLine(progress);
          waker.wake();
        },
        signal,
      ).finally(waker.close);
      while (await waker.wait()) yield { view: { kind: 'generic', title: shown, detail: latest } };
      over.abort('over');
      const answer = await answering;
      if (!answer.ok) return { ok: false, message: answer.error };
      const output = contentOf(answer.value);
      const long = longResult(contentText(output).length, maxChars);
      if (long !== null) onLong(name, `${shown}: ${long}`);
      return answer.value.isError === true
        ? { ok: false, message: contentText(output) || 'The server says that it failed.' }
        : { ok: true, output };
    },
    toModel: (output) => output,
    view: (_, output) => ({
      kind: 'generic',
      title: shown,
      detail: contentText(output).slice(0, MAX_SHOWN_CHARS),
    }),
  });
}

/** Returns what to tell of a result that takes much of the context; null for one that does not. Pure. */
function longResult(chars: number, maxChars: number): string | null {
  const tokens = Math.round(chars / TOKEN_CHARS);
  if (tokens <= LONG_RESULT_TOKENS) return null;
  return chars > maxChars
    ? `its result of about ${tokens} tokens went to a file, because more than MAX_MCP_OUTPUT_TOKENS (${Math.floor(maxChars / TOKEN_CHARS)}) do not go to the model whole.`
    : `its result takes about ${tokens} tokens of the context.`;
}

/** Returns how far a call is, in one line. Pure. */
function progressLine({ progress, total, message = '' }: CallProgress): string {
  const steps = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return (message === '' ? steps : `${steps} · ${message}`).slice(0, MAX_SHOWN_CHARS);
}

const firstText = (input: Readonly<Record<string, unknown>>): string => {
  const text = Object.values(input).find((value) => typeof value === 'string');
  return typeof text === 'string' ? text.slice(0, 200) : '';
};

/** Returns the words of blocks; other blocks are named. Pure. */
export const contentText = (content: ToolContent): string =>
  content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');

/** Turns a server's answer into blocks of a result. What a model cannot be shown is named. Pure. */
export function contentOf({ content, structuredContent }: CallToolResult): ToolContent {
  if (content.length === 0 && structuredContent !== undefined) {
    return [text(JSON.stringify(structuredContent))];
  }
  return content.map(blockOf);
}

function blockOf(block: CallToolResult['content'][number]): ResultContent {
  switch (block.type) {
    case 'text':
      return text(block.text);
    case 'image':
      return imageOf(block.mimeType, block.data);
    case 'audio':
      return text(`[audio, ${block.mimeType}: it cannot be shown]`);
    case 'resource_link':
      return text(`${block.title ?? block.name}: ${block.uri}`);
    case 'resource':
      return text(
        'text' in block.resource
          ? `${block.resource.uri}:\n${block.resource.text}`
          : `[${block.resource.uri}, ${block.resource.mimeType ?? 'binary'}: it cannot be shown]`,
      );
    default:
      return text('[a kind of content that Lathe does not know]');
  }
}

export function imageOf(mediaType: string, data: string): ResultContent {
  const fault =
    data.length > MAX_IMAGE_CHARS
      ? 'it is larger than 5 MiB.'
      : imageFault(mediaType, Buffer.from(data, 'base64'));
  if (fault !== null) return text(`[image, ${mediaType}: ${fault}]`);
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

const text = (value: string): ResultContent => ({ type: 'text', text: value });
