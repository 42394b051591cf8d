import { basename } from 'node:path';
import { z } from 'zod';
import { plainLine } from '../../../shared/plain-line';
import type { LanguageServerSetting } from '../settings/plugins/language-servers';
import { sectionOf } from './configuration';
import { uriOf } from './documents';

/** The most registrations, and works in progress, that are kept of one server. */
const MAX_KEPT = 200;
/** The longest words on a work in progress. Characters. */
const MAX_WORDS = 100;

/** A name that a server gives to something, and has to be kept to know it again. */
const Name = z.string().max(200);
const Registrations = z.array(z.object({ id: Name, method: Name }));
const Unregistrations = z.array(z.object({ id: z.string() }));
const Sections = z.array(z.object({ section: z.string().optional().catch(undefined) }));
const Progress = z.object({
  token: z.union([Name, z.number()]),
  value: z.object({
    kind: z.string(),
    title: z.string().optional().catch(undefined),
    message: z.string().optional().catch(undefined),
    percentage: z.number().optional().catch(undefined),
  }),
});

/** The answers to what a server asks of its client, and what it said of itself that way. */
export interface ServerRequests {
  /** Returns the answer; undefined: nobody here knows the request. */
  answer(method: string, params: unknown): unknown;
  /** Takes in what it tells of its work. */
  progress(params: unknown): void;
  /** Returns what it is at, e.g. `indexing 40 %`; null when it works at nothing. */
  working(): string | null;
  /** Tells whether it registered for a method while it ran. */
  hasRegistered(method: string): boolean;
}

/** Creates them for a server that begins. `refresh`: what it said of faults no longer holds. */
export function createServerRequests(
  { settings }: Pick<LanguageServerSetting, 'settings'>,
  root: string,
  refresh: () => void,
): ServerRequests {
  const registered = new Map<string, string>();
  const works = new Map<string | number, { title: string; rest: string }>();
  const answers: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => unknown>> =
    {
      'workspace/configuration': ({ items }) =>
        (Sections.safeParse(items).data ?? [])
          .slice(0, MAX_KEPT)
          .map(({ section }) => sectionOf(settings, section)),
      'workspace/workspaceFolders': () => workspaceFolders(root),
      'workspace/applyEdit': () => ({
        applied: false,
        failureReason: 'Lathe changes files by the calls of its agents alone.',
      }),
      'workspace/diagnostic/refresh': () => {
        refresh();
        return null;
      },
      'client/registerCapability': ({ registrations }) => {
        for (const { id, method } of Registrations.safeParse(registrations).data ?? [])
          if (registered.size < MAX_KEPT) registered.set(id, method);
        return null;
      },
      'client/unregisterCapability': ({ unregisterations }) => {
        for (const { id } of Unregistrations.safeParse(unregisterations).data ?? [])
          registered.delete(id);
        return null;
      },
      'window/showDocument': () => ({ success: false }),
    };
  return {
    answer: (method, params) => {
      const known = Object.hasOwn(answers, method) ? answers[method] : undefined;
      if (known !== undefined) return known(Object(params));
      return NOTHING.test(method) ? null : undefined;
    },
    progress: (params) => {
      const parsed = Progress.safeParse(params);
      if (!parsed.success) return;
      const { token, value } = parsed.data;
      if (value.kind === 'end') return void works.delete(token);
      const before = works.get(token);
      if (before === undefined && works.size >= MAX_KEPT) return;
      const percent = value.percentage === undefined ? '' : `${Math.round(value.percentage)} %`;
      const rest = [cut(value.message ?? ''), percent].filter((word) => word !== '').join(' ');
      works.set(token, { title: cut(value.title ?? before?.title ?? 'work'), rest });
    },
    working: () => {
      const [work] = works.values();
      return work === undefined ? null : plainLine(`${work.title} ${work.rest}`.trim(), MAX_WORDS);
    },
    hasRegistered: (method) => [...registered.values()].includes(method),
  };
}

const cut = (words: string): string => plainLine(words, MAX_WORDS);

/** Matches what is taken note of by an empty answer: a new piece of work, a question to the user, what no screen here shows. */
const NOTHING =
  /^(?:window\/(?:workDoneProgress\/create|showMessageRequest)|workspace\/\w+\/refresh)$/;

/** Returns the folders that a server looks after, as it is told them. */
export const workspaceFolders = (root: string) => [{ uri: uriOf(root), name: basename(root) }];
