import { fileURLToPath } from 'node:url';
import {
  type AgentContext,
  type ContentBlock,
  methods,
  type SessionConfigOption,
  type SessionModeState,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import { type AgentEvent, MAIN_AGENT } from '../../../shared/agent-event';
import type { UserBlock } from '../../../shared/message';
import { modelName } from '../../../shared/model-name';
import { PermissionMode } from '../../../shared/permission';
import { mentionText } from '../../../shared/project-file';
import { err, fault, ok, type Result } from '../../../shared/result';
import { problemLine } from '../../../shared/settings-problem';
import type { Item } from '../../../shared/transcript';
import type {
  DrivingProgram,
  HeadlessOptions,
  HeadlessSession,
  OpenHeadless,
} from '../../app/headless-session';
import { createEditorBroker } from './editor-questions';
import { createUpdates } from './updates';

/** A session that an editor drives. */
export interface EditorSession {
  readonly id: string;
  /** Problems of settings, a line each. */
  readonly problems: readonly string[];
  modes(): SessionModeState;
  setMode(mode: PermissionMode): Promise<Result<object>>;
  /** The choices that the editor can offer: mode, model, and effort where the model has levels of it. */
  configOptions(): SessionConfigOption[];
  /** Chooses by the ids of an option and of one of its values. */
  choose(option: string, value: unknown): Promise<Result<object>>;
  conversation(): readonly Item[];
  /** Tells the editor something of the session. */
  tell(update: SessionUpdate): Promise<void>;
  /** Tells which commands there are. */
  tellCommands(): void;
  /** Answers a prompt; the signal stops that as {@link cancel} does. An error says why there is no answer. */
  prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<Result<StopReason>>;
  cancel(): void;
  /** Ends it with its processes. Returns what could not be saved, in words for the user; null when all is. */
  close(): Promise<string | null>;
}

/** Opens a session for the editor at the other end of `client`. */
export async function openEditorSession(
  open: OpenHeadless,
  options: HeadlessOptions,
  client: AgentContext,
): Promise<Result<EditorSession>> {
  let session: HeadlessSession | null = null;
  const program: DrivingProgram = {
    hooks: [],
    // Editors have neither hooks nor servers inside: nothing asks for these.
    runHook: async () => ({ kind: 'failed', message: 'This editor has no hooks.' }),
    connectServer: () => {
      throw new Error('This editor has no servers inside.');
    },
    createBroker: createEditorBroker(
      (question, signal) =>
        client.request(
          methods.client.session.requestPermission,
          { sessionId: session?.sessionId ?? '', ...question },
          { cancellationSignal: signal, stopWaitingOnCancel: true },
        ),
      async (updates) => session?.updatePermissions(updates),
    ),
  };
  const opened = await open(options, program);
  if (!opened.ok) return opened;
  session = opened.value;
  return ok(editorSession(session, options, client));
}

function editorSession(
  session: HeadlessSession,
  { allowsBypass, mode: asked }: HeadlessOptions,
  client: AgentContext,
): EditorSession {
  const { sessionId } = session;
  const tell = (update: SessionUpdate) =>
    client.notify(methods.client.session.update, { sessionId, update });
  const cancel = () => session.interrupt('stopped');
  const offered = MODES.filter(
    ({ id }) => id !== 'bypassPermissions' || allowsBypass || asked === id,
  );
  const configOptions = (): SessionConfigOption[] => {
    const named = session.models.map(({ id, name }) => ({ value: id, name }));
    const model = session.model();
    const isListed = named.some(({ value }) => value === model);
    return [
      {
        ...{ id: 'mode', name: 'Mode', category: 'mode', type: 'select' },
        currentValue: session.mode(),
        options: offered.map(({ id, name, description }) => ({ value: id, name, description })),
      },
      {
        ...{ id: 'model', name: 'Model', category: 'model', type: 'select' },
        currentValue: model,
        options: isListed ? named : [...named, { value: model, name: modelName(model) }],
      },
      ...effortOption(session),
    ];
  };
  const choose: EditorSession['choose'] = async (option, value) => {
    const wanted = configOptions().find(({ id }) => id === option);
    const listed = wanted?.type === 'select' ? wanted.options : [];
    if (typeof value !== 'string' || !listed.some((one) => 'value' in one && one.value === value))
      return err(fault('bad_option', `There is no choice ${option} of ${String(value)}.`));
    if (option === 'model') return session.configure({ model: value });
    if (option === 'effort') return session.configure({ effort: value });
    const mode = PermissionMode.safeParse(value);
    return mode.success
      ? session.configure({ mode: mode.data })
      : err(fault('bad_option', `There is no mode ${value}.`));
  };
  let answering = false;
  let unlisten = () => {};
  let told = '';
  const tellCommands = () => {
    const availableCommands = session.commands().map(({ name, description, argumentHint }) => ({
      name,
      description,
      ...(argumentHint === '' ? {} : { input: { hint: argumentHint } }),
    }));
    const now = JSON.stringify(availableCommands);
    if (now === told) return;
    told = now;
    // After the answer to the request that opened the session: before it, the editor does not know it.
    setImmediate(() => {
      tell({ sessionUpdate: 'available_commands_update', availableCommands }).catch(() => {});
    });
  };
  return {
    id: sessionId,
    problems: session.problems.map(problemLine),
    modes: () => ({ currentModeId: session.mode(), availableModes: [...offered] }),
    setMode: (mode) => session.configure({ mode }),
    configOptions,
    choose,
    conversation: session.conversation,
    tell,
    tellCommands: () => {
      // Tool servers bring more of them later.
      unlisten();
      unlisten = session.onToolServers(tellCommands);
      tellCommands();
    },
    prompt: async (blocks, signal) => {
      const content = contentOf(blocks);
      if (content.length === 0) return err(EMPTY);
      if (answering) return err(fault('busy', 'A prompt of this session is being answered.'));
      answering = true;
      signal.addEventListener('abort', cancel, { once: true });
      const updatesOf = createUpdates();
      let end: Extract<AgentEvent, { type: 'query_finished' }> | null = null;
      try {
        for await (const { event, agentId } of session.submit(content)) {
          if (agentId !== MAIN_AGENT) continue;
          for (const update of updatesOf(event)) await tell(update);
          if (CHOSEN.has(event.type))
            await tell({ sessionUpdate: 'config_option_update', configOptions: configOptions() });
          if (event.type === 'query_finished') end = event;
        }
      } finally {
        answering = false;
        signal.removeEventListener('abort', cancel);
      }
      return end === null
        ? err(fault('no_result', 'The query ended without a result.'))
        : stopReasonOf(end);
    },
    cancel,
    close: () => {
      session.interrupt('ending');
      unlisten();
      return session.close();
    },
  };
}

/** Returns the choice of how much the model is to think; none where it has no levels. */
function effortOption(session: HeadlessSession): SessionConfigOption[] {
  const levels = session.efforts();
  if (levels.length === 0) return [];
  const effort = session.effort();
  const all = levels.includes(effort) ? levels : [...levels, effort];
  return [
    {
      ...{ id: 'effort', name: 'Effort', category: 'thought_level', type: 'select' },
      currentValue: effort,
      options: all.map((value) => ({ value, name: value })),
    },
  ];
}

/** The events that change a choice. */
const CHOSEN: ReadonlySet<AgentEvent['type']> = new Set([
  ...(['mode_changed', 'model_changed', 'effort_changed'] as const),
]);

const MODES: readonly {
  readonly id: PermissionMode;
  readonly name: string;
  readonly description: string;
}[] = [
  { id: 'default', name: 'Ask', description: 'Asks before files change and commands run.' },
  { id: 'acceptEdits', name: 'Accept edits', description: 'Changes files of the project unasked.' },
  { id: 'plan', name: 'Plan', description: 'Reads only, and proposes a plan.' },
  { id: 'dontAsk', name: 'Do not ask', description: 'Denies what it would have to ask about.' },
  { id: 'bypassPermissions', name: 'Bypass permissions', description: 'Asks nothing.' },
];

const EMPTY = fault('empty_prompt', 'The prompt is empty, so nothing was sent.');

/** Returns a prompt as the session takes it: words alone stay words, so that commands and mentions work. */
function contentOf(blocks: readonly ContentBlock[]): string | readonly UserBlock[] {
  const content = blocks.map(blockOf);
  if (!content.every((block) => block.type === 'text')) return content;
  const words = content.map(({ text }) => text).join('');
  return words.trim() === '' ? '' : words;
}

/** The types of images that the Messages API takes. */
const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

function blockOf(block: ContentBlock): Extract<UserBlock, { type: 'text' | 'image' }> {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return imageOf(block.mimeType, block.data);
    case 'resource_link':
      return { type: 'text', text: ` ${mentionOf(block.uri)} ` };
    case 'resource': {
      const { resource } = block;
      const { mimeType } = resource;
      if ('blob' in resource && mimeType && IMAGES.has(mimeType))
        return imageOf(mimeType, resource.blob);
      const words = 'text' in resource ? resource.text : '(not a text)';
      return { type: 'text', text: `\n<file uri="${resource.uri}">\n${words}\n</file>\n` };
    }
    case 'audio':
      return { type: 'text', text: '(a sound, which cannot be heard here)' };
  }
}

const imageOf = (media_type: string, data: string) =>
  ({ type: 'image', source: { type: 'base64', media_type, data } }) as const;

/** Returns a mention of a file, whose content then comes along; another address as it is. */
function mentionOf(uri: string): string {
  try {
    return mentionText(fileURLToPath(uri));
  } catch {
    return uri;
  }
}

function stopReasonOf({
  terminal,
  text,
  stopReason,
}: Extract<AgentEvent, { type: 'query_finished' }>): Result<StopReason> {
  switch (terminal) {
    case 'completed':
    case 'hook_stopped':
    case 'stop_hook_prevented':
    case 'tool_deferred':
    case 'tool_deferred_unavailable':
    case 'repeated_calls':
      if (stopReason === 'refusal') return ok('refusal');
      return ok(stopReason === 'max_tokens' ? 'max_tokens' : 'end_turn');
    case 'max_turns':
    case 'max_budget':
      return ok('max_turn_requests');
    case 'aborted_streaming':
    case 'aborted_tools':
      return ok('cancelled');
    case 'blocking_limit':
    case 'prompt_too_long':
    case 'image_error':
    case 'model_error':
      return err(fault(terminal, text));
  }
}
