import type { InstallPlugins } from './app/headless-session';
import { beginning, withConfigRoot } from './app/headless-start';
import { createPluginService, type ProjectPlugins } from './app/plugin-service';
import { resolveFolder } from './app/project-registry';
import { lookingServices } from './compose';
import { type ServiceOptions, settingsAsTrusted } from './compose-services';
import { CLONE_MS } from './engine/plugins/fetch-repository';
import { installWishes } from './engine/plugins/install-wanted';
import { createSettingsWriter } from './engine/settings/write';

/** Creates what shows and changes plugins for one folder, without a window. */
export async function createPlugins(
  folder: string,
  options: ServiceOptions,
): Promise<ProjectPlugins> {
  const services = lookingServices(options);
  const real = await services.files.realPath(folder);
  const project = real.ok ? real.value : folder;
  const look = async () => (await settingsAsTrusted(services, project, {})).settings;
  let settings = await look();
  const service = createPluginService({
    store: services.plugins,
    writer: createSettingsWriter(services.files),
    configDir: services.configDir,
    home: services.home,
    settings: () => settings,
    refresh: async () => {
      settings = await look();
    },
  });
  return {
    list: () => service.list(project),
    act: (act) => service.act(project, act),
  };
}

/** Creates what installs the plugins that the settings of a run turn on, before its session is opened. */
export const createPluginInstalls =
  (options: ServiceOptions): InstallPlugins =>
  async (asked, tell, ending) => {
    const services = lookingServices(options);
    const folder = await resolveFolder(services.files, asked.folder);
    const rooted = await withConfigRoot(services.files, asked);
    // Whoever opens the session says what is wrong with them.
    if (!folder.ok || !rooted.ok) return asked;
    const begun = await beginning(services, folder.value, asked);
    const { settings } = await settingsAsTrusted(services, folder.value, rooted.value);
    const { pluginSwitches = {}, ownPlugins = { switches: {}, marketplaces: {} } } = settings;
    await services.plugins.installWanted(
      installWishes(pluginSwitches, ownPlugins),
      (report) => tell(report, begun.sessionId),
      // All of it together takes no longer than one repository may.
      AbortSignal.any([ending, AbortSignal.timeout(CLONE_MS)]),
    );
    return begun.options;
  };
