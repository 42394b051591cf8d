import type { HeadlessSession } from '../../app/headless-session';
import type { GivenSettings } from '../../engine/settings/read';
import type { Json } from './api-shape';

/** The version of Claude Code whose protocol is spoken: drivers look whether it is new enough for them. */
export const PROTOCOL_VERSION = '2.1.330';

/** The sources of a key under the names that programs know. */
const KEY_SOURCES: ReadonlyMap<string | undefined, string> = new Map([
  ['ANTHROPIC_API_KEY', 'ANTHROPIC_API_KEY'],
  ['apiKeyHelper', 'apiKeyHelper'],
  ['stored key', '/login managed key'],
]);

/** Returns the source of a key as programs know it: a token and a cloud provider are none. */
export const keySource = (from: string | undefined): string => KEY_SOURCES.get(from) ?? 'none';

/** The sources of settings as programs know them. */
export const SOURCE_NAMES: Readonly<Record<GivenSettings['source'], string>> = {
  managed: 'policySettings',
  commandLine: 'flagSettings',
  session: 'flagSettings',
  localSettings: 'localSettings',
  projectSettings: 'projectSettings',
  userSettings: 'userSettings',
};

/** Returns a tool server as the protocol has it. */
export const serverStatus = ({
  name,
  status,
  info,
  tools,
  problem,
  source,
}: ReturnType<HeadlessSession['toolServers']>[number]): Json => ({
  name,
  status,
  ...(info === null ? {} : { serverInfo: info }),
  ...(problem === null ? {} : { error: problem }),
  source,
  scope: source === 'sdk' || source === 'plugin' ? 'dynamic' : source,
  ...(status === 'connected' ? { tools: tools.map((tool) => ({ name: tool })) } : {}),
});

/** Returns how the window of the model is filled, by the last answer. */
export function contextUsage(session: HeadlessSession): Json {
  const { usedTokens, windowTokens, parts = NO_PARTS } = session.contextUse();
  const left = Math.max(0, windowTokens - usedTokens);
  const category = (id: string, name: string, tokens: number, color: string) => ({
    ...{ id, name, tokens, color },
    kind: id === 'free_space' ? 'free' : 'used',
  });
  return {
    categories: [
      category('system_prompt', 'System prompt', parts.system, 'promptBorder'),
      category('system_tools', 'System tools', parts.tools, 'inactive'),
      category('memory_files', 'Memory files', parts.memory, 'claude'),
      category('messages', 'Messages', parts.messages, 'purple'),
      category('free_space', 'Free space', left, 'promptBorder'),
    ],
    totalTokens: usedTokens,
    maxTokens: windowTokens,
    rawMaxTokens: windowTokens,
    percentage: windowTokens === 0 ? 0 : Math.round((usedTokens / windowTokens) * 100),
    gridRows: [],
    model: session.model(),
    memoryFiles: [],
    mcpTools: [],
    agents: [],
    isAutoCompactEnabled: true,
    apiUsage: null,
  };
}

const NO_PARTS = { system: 0, tools: 0, memory: 0, messages: 0 };
