import { err, type Fault, fault, type Result } from '../../../shared/result';
import type { MarketplaceSource } from '../settings/plugins/marketplace';
import type { PluginStateFile } from '../settings/plugins/plugin-state';
import { withShownAddresses } from '../settings/shown-server';

/** The plugins to have, each as `name@marketplace`. */
export interface InstallWishes {
  /** Those that settings of the user or the machine turn on. */
  readonly own: readonly string[];
  /** Those that the settings of a folder alone turn on: they are told of, and never installed. */
  readonly ofFolder: readonly string[];
  /** The marketplaces that settings of the user or the machine name. */
  readonly marketplaces: Readonly<Record<string, MarketplaceSource>>;
}

/** Tells what becomes of a plugin, or of a marketplace that had to be added. */
export type InstallReport =
  | { readonly status: 'started' | 'completed' }
  | { readonly status: 'installed'; readonly name: string }
  | {
      readonly status: 'failed';
      readonly name: string;
      readonly error: string;
      /** Another report, or the settings, say it to a user. */
      readonly isTold?: true;
    };

/** The parts of a store of plugins that installing takes. */
interface InstallParts {
  readonly read: PluginStateFile['read'];
  /** Waits until no other process installs from a marketplace. The value lets the next one. */
  alone(marketplace: string): Promise<Result<() => Promise<void>>>;
  /** Adds a marketplace that calls itself by that name. */
  add(source: MarketplaceSource, name: string): Promise<Result<unknown>>;
  /** Fetches a plugin if need be, and installs it as it is. */
  install(id: string): Promise<Result<unknown>>;
}

/** The plugins of one marketplace that are fetched at the same time. */
const AT_ONCE = 8;

/**
 * Installs what settings of the user or the machine turn on and is not installed yet. What is installed stays as it is,
 * also where its content changed since. What fails costs nothing but itself. `signal` ends it all.
 */
export async function installWanted(
  { own, ofFolder, marketplaces }: InstallWishes,
  parts: InstallParts,
  tell: (report: InstallReport) => void,
  signal: AbortSignal,
): Promise<void> {
  const failed = (name: string, problem: Fault, isTold = false) =>
    tell({
      ...{ status: 'failed', name, error: signal.aborted ? whyOver(signal) : errorText(problem) },
      ...(isTold ? { isTold } : {}),
    });

  const installFrom = async (marketplace: string, ids: readonly string[]): Promise<void> => {
    const known = await parts.read();
    if (!known.ok) return ids.forEach((id) => void failed(id, known.error));
    if (!Object.hasOwn(known.value.marketplaces, marketplace)) {
      const source = Object.hasOwn(marketplaces, marketplace) ? marketplaces[marketplace] : null;
      const added = source ? await parts.add(source, marketplace) : err(unknown(marketplace));
      if (added.ok) tell({ status: 'installed', name: marketplace });
      else {
        failed(marketplace, added.error);
        const problem = fault('no_marketplace', `Its marketplace "${marketplace}" is not there.`);
        return ids.forEach((id) => void failed(id, problem, true));
      }
    }
    const queue = ids.filter((id) => !Object.hasOwn(known.value.plugins, id));
    const work = async () => {
      for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
        const done = signal.aborted ? err(OVER) : await parts.install(id);
        if (done.ok) tell({ status: 'installed', name: id });
        else failed(id, done.error);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };

  tell({ status: 'started' });
  const known = await parts.read();
  const isMissing = (id: string) => !known.ok || !Object.hasOwn(known.value.plugins, id);
  for (const id of ofFolder.filter(isMissing)) failed(id, unasked(id), true);
  const byMarketplace = Map.groupBy(own.filter(isMissing), (id) => id.split('@')[1] ?? '');
  await Promise.all(
    [...byMarketplace].map(async ([marketplace, ids]) => {
      const lock = await parts.alone(marketplace);
      if (!lock.ok) return ids.forEach((id) => void failed(id, lock.error));
      await installFrom(marketplace, ids).finally(lock.value);
    }),
  );
  tell({ status: 'completed' });
}

/** Returns which plugins a run is to have, of what settings say with and without those of its folder. Pure. */
export function installWishes(
  switches: Readonly<Record<string, boolean>>,
  own: {
    readonly switches: Readonly<Record<string, boolean>>;
    readonly marketplaces: Readonly<Record<string, MarketplaceSource>>;
  },
): InstallWishes {
  const on = Object.keys(switches).filter((id) => switches[id] === true);
  const isOwn = (id: string) => Object.hasOwn(own.switches, id) && own.switches[id] === true;
  return {
    own: on.filter(isOwn),
    ofFolder: on.filter((id) => !isOwn(id)),
    marketplaces: own.marketplaces,
  };
}

const OVER = fault('over', 'There was no time left.');

const whyOver = ({ reason }: AbortSignal): string =>
  reason instanceof Error && reason.name === 'TimeoutError'
    ? 'It took too long.'
    : 'The run was ended.';

const unknown = (marketplace: string) =>
  fault(
    'no_marketplace',
    `Your own settings name no marketplace "${marketplace}", and none was added.`,
    'Add it: lathe plugin marketplace add <folder or address>',
  );

const unasked = (id: string) =>
  fault(
    'of_folder',
    'What a folder turns on is not installed unasked.',
    `lathe plugin install ${id}`,
  );

/** Returns a fault as one text without keys, and without what a terminal would take for commands. */
const errorText = ({ message, fix }: Fault): string =>
  withShownAddresses(fix === undefined ? message : `${message} ${fix}`).replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is meant
    /[\u0000-\u001f\u007f-\u009f]+/g,
    ' ',
  );
