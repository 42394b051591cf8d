import type {
  SessionUpdate,
  ToolCallContent,
  ToolCallLocation,
  ToolCallUpdate,
  ToolKind,
} from '@agentclientprotocol/sdk';
import type { AgentEvent } from '../../../shared/agent-event';
import type { DiffHunk, ToolView } from '../../../shared/tool-call';
import type { CallItem, Item } from '../../../shared/transcript';

/** The longest text of a call that an editor is sent. Characters. */
const MAX_CHARS = 100_000;

/** Creates a function that turns the main agent's events into what an editor is told, in their order. */
export function createUpdates(): (event: AgentEvent) => readonly SessionUpdate[] {
  /** Calls the editor knows. */
  const known = new Set<string>();
  /** Blocks that stream, and whether some of each was sent. */
  const blocks = new Map<string, { readonly thinking: boolean; sent: boolean }>();

  const call = (update: ToolCallUpdate & { readonly title: string }): SessionUpdate => {
    if (known.has(update.toolCallId)) return { sessionUpdate: 'tool_call_update', ...update };
    known.add(update.toolCallId);
    return { sessionUpdate: 'tool_call', ...given(update), title: update.title };
  };

  return (event) => {
    switch (event.type) {
      case 'block_started':
        // Calls are told whole: what streams of them is JSON.
        if (event.kind !== 'text' && event.kind !== 'thinking') return [];
        blocks.set(`${event.messageId}/${event.index}`, {
          thinking: event.kind === 'thinking',
          sent: false,
        });
        return [];
      case 'block_delta': {
        const block = blocks.get(`${event.messageId}/${event.index}`);
        if (block === undefined || event.text === '') return [];
        block.sent = true;
        return [spoken(block.thinking, event.text)];
      }
      case 'block_finished': {
        const id = `${event.messageId}/${event.index}`;
        const sent = blocks.get(id)?.sent ?? false;
        blocks.delete(id);
        const { block } = event;
        if (block.type === 'tool_use')
          return [
            call({
              toolCallId: block.id,
              title: block.name,
              kind: kindOf(block.name),
              status: 'pending',
              rawInput: block.input,
            }),
          ];
        if (sent) return [];
        if (block.type === 'text' && block.text !== '') return [spoken(false, block.text)];
        return block.type === 'thinking' && block.thinking !== ''
          ? [spoken(true, block.thinking)]
          : [];
      }
      case 'call_changed':
      case 'call_settled': {
        const { callId, tool, title, status, view } = event;
        const text = event.type === 'call_settled' ? textOf(event.content) : '';
        return [
          call({
            toolCallId: callId,
            title: `${title.verb} ${title.target}`.trim() || tool,
            kind: kindOf(tool),
            status: STATUS[status],
            ...shown(view, text),
          }),
          ...planOf(view),
        ];
      }
      case 'mode_changed':
        return [{ sessionUpdate: 'current_mode_update', currentModeId: event.mode }];
      case 'title_changed':
        return [{ sessionUpdate: 'session_info_update', title: event.title }];
      case 'context_changed':
        return [
          { sessionUpdate: 'usage_update', used: event.usedTokens, size: event.windowTokens },
        ];
      default:
        return [];
    }
  };
}

/** Returns a row of an earlier conversation as an editor is told of it. */
export function replayed(item: Item): readonly SessionUpdate[] {
  switch (item.kind) {
    case 'prompt':
      return [{ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: item.text } }];
    case 'text':
    case 'thinking':
      return item.text === '' ? [] : [spoken(item.kind === 'thinking', item.text)];
    case 'call':
      return [
        {
          sessionUpdate: 'tool_call',
          toolCallId: item.id,
          title: titleOf(item),
          kind: kindOf(item.tool),
          status: STATUS[item.status],
          ...shown(item.view, item.error ?? ''),
        },
      ];
    default:
      return [];
  }
}

/** Returns a changed region as an editor draws it: its lines before and after. */
export const diffOf = (
  path: string,
  created: boolean,
  hunks: readonly DiffHunk[],
): ToolCallContent[] =>
  hunks.map(({ lines }) => ({
    type: 'diff',
    path,
    oldText: created ? null : side(lines, '-'),
    newText: side(lines, '+'),
  }));

/** Returns the kind of a tool, by which editors choose a picture. */
export const kindOf = (tool: string): ToolKind => KINDS[tool] ?? 'other';

const side = (lines: readonly string[], mark: '+' | '-'): string =>
  lines
    .filter((line) => line.startsWith(' ') || line.startsWith(mark))
    .map((line) => line.slice(1))
    .join('\n');

const titleOf = ({ title, tool }: CallItem): string =>
  `${title.verb} ${title.target}`.trim() || tool;

const spoken = (thinking: boolean, text: string): SessionUpdate => ({
  sessionUpdate: thinking ? 'agent_thought_chunk' : 'agent_message_chunk',
  content: { type: 'text', text },
});

/** Leaves out what is not told: a new call has no empty fields. */
const given = ({ kind, status, content, locations, rawInput, toolCallId }: ToolCallUpdate) => ({
  toolCallId,
  ...(kind ? { kind } : {}),
  ...(status ? { status } : {}),
  ...(content ? { content } : {}),
  ...(locations ? { locations } : {}),
  ...(rawInput === undefined ? {} : { rawInput }),
});

/** Returns what a call shows: its change of a file, else its output, and the file it is about. */
function shown(
  view: ToolView | null,
  text: string,
): { content?: ToolCallContent[]; locations?: ToolCallLocation[] } {
  switch (view?.kind) {
    case 'diff':
      return {
        content: diffOf(view.path, view.created, view.hunks),
        locations: [{ path: view.path, line: view.hunks[0]?.newStart ?? null }],
      };
    case 'file':
      return { locations: [{ path: view.path, line: view.startLine }], ...asContent(text) };
    case 'shell':
      return asContent(text || view.tail, '```console\n', '\n```');
    default:
      return asContent(text);
  }
}

const asContent = (text: string, before = '', after = ''): { content?: ToolCallContent[] } =>
  text === ''
    ? {}
    : {
        content: [
          {
            type: 'content',
            content: { type: 'text', text: `${before}${text.slice(-MAX_CHARS)}${after}` },
          },
        ],
      };

const textOf = (content: readonly { readonly type: string }[]): string =>
  content
    .map((part) => ('text' in part && typeof part.text === 'string' ? part.text : ''))
    .join('');

const planOf = (view: ToolView | null): readonly SessionUpdate[] =>
  view?.kind === 'todo'
    ? [
        {
          sessionUpdate: 'plan',
          entries: view.items.map(({ content, status }) => ({
            content,
            status,
            priority: 'medium',
          })),
        },
      ]
    : [];

const STATUS = {
  receiving: 'pending',
  queued: 'pending',
  approval: 'pending',
  running: 'in_progress',
  done: 'completed',
  failed: 'failed',
  denied: 'failed',
  cancelled: 'failed',
} as const;

const KINDS: Readonly<Record<string, ToolKind>> = {
  Read: 'read',
  ReadMcpResource: 'read',
  Edit: 'edit',
  Write: 'edit',
  NotebookEdit: 'edit',
  Glob: 'search',
  Grep: 'search',
  ToolSearch: 'search',
  Bash: 'execute',
  Monitor: 'execute',
  TaskOutput: 'execute',
  TaskStop: 'execute',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
  Agent: 'think',
  TodoWrite: 'think',
  Skill: 'think',
  EnterPlanMode: 'switch_mode',
  ExitPlanMode: 'switch_mode',
};
