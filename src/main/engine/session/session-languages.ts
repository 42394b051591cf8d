import type { AgentState } from '../agent-state';
import { createLanguageServers, type LanguageServers } from '../lsp/language-servers';
import type { Services } from '../services';
import type { EffectiveSettings } from '../settings/effective';
import type { LanguageServerSetting } from '../settings/plugins/language-servers';
import { createLspTool } from '../tools/builtin/lsp/lsp';
import type { ToolSource } from '../tools/catalogue';

/** The language servers of a session, and the tool that asks them. */
export interface SessionLanguages
  extends Pick<
    LanguageServers,
    'close' | 'follower' | 'news' | 'onView' | 'restart' | 'settled' | 'views'
  > {
  /** The source of that tool: nothing where no server is to be had. */
  readonly source: ToolSource;
}

/** Creates those that plugins bring. In a folder that nobody trusts there are none: what a server loads there may run. */
export function createSessionLanguages(
  services: Services,
  project: string,
  settings: () => EffectiveSettings,
  record: AgentState['record'],
  /** The session goes without what people add to Lathe. */
  bare: boolean,
): SessionLanguages {
  const servers = createLanguageServers({
    ...services,
    project,
    folders: () => settings().additionalDirectories,
    wanted: () => {
      const { languageServers = NONE, simple = false, trusted } = settings();
      // A configuration from elsewhere brings plugins to a folder that nobody trusts.
      return bare || simple || !trusted ? NONE : languageServers;
    },
    env: () => services.shellEnv(settings().env),
    tell: (text) =>
      void record({ type: 'notice', level: 'warning', code: 'language_server', text }),
  });
  const tools = [
    createLspTool(async (question, context) => {
      // Few sessions ask one.
      const { askLanguageServer } = await import('../lsp/ask');
      return askLanguageServer(servers, question, context);
    }),
  ];
  return {
    ...servers,
    source: {
      name: 'language servers',
      list: () => (servers.wanted().length === 0 ? [] : tools),
      onChange: () => () => {},
    },
  };
}

const NONE: readonly LanguageServerSetting[] = [];
