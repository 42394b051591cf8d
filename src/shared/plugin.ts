import { z } from 'zod';
import type { SettingsProblem } from './settings';

/** One thing that a plugin brings, as people are shown it before they say yes. */
export interface PluginPart {
  readonly kind:
    | 'command'
    | 'skill'
    | 'agent'
    | 'outputStyle'
    | 'hook'
    | 'server'
    | 'languageServer'
    | 'option'
    | 'need';
  readonly name: string;
  /** Its command or purpose. */
  readonly detail: string;
}

/** A value that a plugin asks of the user. */
export interface PluginOptionView {
  readonly key: string;
  /** Its purpose. */
  readonly description: string;
  readonly type: string;
  /** The bounds of a number. */
  readonly min?: number;
  readonly max?: number;
  readonly required: boolean;
  readonly sensitive: boolean;
  /** The value where the user gives none; null for a secret one too. */
  readonly fallback: string | null;
  /** The user's value; null where there is none, and for a secret one. */
  readonly value: string | null;
  /** The user gave one. */
  readonly isSet: boolean;
}

/**
 * The state of a plugin: `changed` differs from what was approved, `update` has another version to offer, `unfetched` has
 * to be fetched before anybody can say what it brings.
 */
export type PluginStatus =
  | 'available'
  | 'unfetched'
  | 'on'
  | 'off'
  | 'changed'
  | 'update'
  | 'broken';

/** A plugin as lists show it, with all it brings. */
export interface PluginView {
  /** `name@marketplace`; the name alone for one of a folder that the command line names. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly state: PluginStatus;
  /** Settings turn it on, whatever its state. */
  readonly enabled: boolean;
  /** Stands for every byte of its files: an approval is bound to it. '' where they cannot be read. */
  readonly digest: string;
  /** The digest of the installed files, if they are the approved ones; else ''. */
  readonly approved: string;
  readonly parts: readonly PluginPart[];
  readonly options: readonly PluginOptionView[];
  /** The marketplace's source, or the folder. */
  readonly from: string;
  readonly problems: readonly SettingsProblem[];
}

/** A place that offers plugins. */
export interface MarketplaceView {
  readonly name: string;
  readonly from: string;
  /** It was added; else only settings name it. */
  readonly added: boolean;
  /** The number of plugins it offers. */
  readonly plugins: number;
}

/** All plugins and the places they come from. */
export interface PluginsOverview {
  readonly plugins: readonly PluginView[];
  readonly marketplaces: readonly MarketplaceView[];
  readonly problems: readonly SettingsProblem[];
}

const Id = z
  .string()
  .max(200)
  .regex(/^[\w.-]+@[\w.-]+$/);

/** A change of plugins. `digest` names what the user was shown; nothing else is approved by it. */
export const PluginAct = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('fetch'), id: Id }),
  z.object({ kind: z.literal('install'), id: Id, digest: z.string().min(1).max(100) }),
  z.object({ kind: z.literal('enable'), id: Id, digest: z.string().min(1).max(100) }),
  z.object({ kind: z.literal('disable'), id: Id }),
  z.object({ kind: z.literal('remove'), id: Id }),
  z.object({
    kind: z.literal('set'),
    id: z.string().min(1).max(200),
    option: z.string().min(1).max(100),
    /** As it is typed; null takes it back. */
    value: z.string().max(10_000).nullable(),
  }),
  z.object({ kind: z.literal('addMarketplace'), source: z.string().min(1).max(2000) }),
  z.object({ kind: z.literal('updateMarketplace'), name: z.string().min(1).max(200) }),
  z.object({ kind: z.literal('removeMarketplace'), name: z.string().min(1).max(200) }),
]);
export type PluginAct = z.infer<typeof PluginAct>;
