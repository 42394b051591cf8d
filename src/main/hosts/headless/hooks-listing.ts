import { HookEvent, type HookSetting, WITHOUT_SUBJECT } from '../../../shared/hooks';
import type { HeadlessSession } from '../../app/headless-session';
import type { Json } from './api-shape';
import { SOURCE_NAMES } from './session-facts';

/** The most hooks that are listed. */
const MAX_LISTED = 500;
/** Longer texts are cut. Characters. */
const MAX_TEXT = 2_000;

/** The words for what a hook runs. */
const LABELS: Readonly<Record<HookSetting['type'], string>> = {
  command: 'Command',
  http: 'URL',
  prompt: 'Prompt',
  agent: 'Agent prompt',
  mcp_tool: 'MCP tool',
  callback: 'Callback',
};

/** Returns the hooks of a session for a program that shows them, by event; what headers hold stays behind. */
export function hooksListing(session: Pick<HeadlessSession, 'givenSettings' | 'hooks'>): Json {
  const list = session.hooks();
  const given = session.givenSettings();
  const says = (name: string, source?: string) =>
    given.some((one) => one.settings[name] === true && (source ?? one.source) === one.source);
  const hooks = HookEvent.options
    .flatMap((event) => list.filter((hook) => hook.event === event))
    .slice(0, MAX_LISTED);
  const catalog = HookEvent.options.map((name) => ({
    name,
    summary: spaced(name),
    supportsMatcher: !WITHOUT_SUBJECT.has(name),
  }));
  const counted = (name: string) => hooks.filter(({ event }) => event === name).length;
  return {
    events: catalog.flatMap((event) => {
      const hookCount = counted(event.name);
      return hookCount === 0 ? [] : [{ ...event, hookCount }];
    }),
    hooks: hooks.map(row),
    eventCatalog: catalog,
    policy: {
      disabledByPolicy: says('disableAllHooks', 'managed'),
      managedOnly: says('allowManagedHooksOnly', 'managed'),
      pluginOnly: false,
      allDisabled: says('disableAllHooks'),
      policyHookCount: list.filter(({ source }) => source === 'managed').length,
    },
  };
}

function row(hook: HookSetting): Json {
  const { type, run, plugin, timeoutMs, statusMessage, async, off } = hook;
  const source = type === 'callback' ? 'sessionHook' : SOURCE_NAMES[hook.source];
  const command = visible([run, ...(hook.args ?? [])].join(' '));
  return {
    event: hook.event,
    matcher: visible(hook.matcher),
    source: plugin ? 'pluginHook' : source,
    sourceLabel: plugin ? `plugin ${plugin.name}` : visible(hook.file),
    ...(plugin ? { pluginName: plugin.name } : {}),
    type,
    displayText: statusMessage === undefined ? command : visible(statusMessage),
    commandText: command,
    contentLabel: LABELS[type],
    ...(hook.if === undefined ? {} : { condition: visible(hook.if) }),
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs / 1000 }),
    ...(statusMessage === undefined ? {} : { statusMessage: visible(statusMessage) }),
    ...(hook.once === true ? { runsOnce: true } : {}),
    ...(async === true ? { runsInBackground: true } : {}),
    ...(off === null ? {} : { disabled: true }),
  };
}

/** Writes the name of an event as words. */
const spaced = (name: string): string =>
  name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Returns a text in one line, in which nothing hides. */
const visible = (text: string): string =>
  text
    .slice(0, MAX_TEXT)
    .replaceAll(/\p{C}/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
