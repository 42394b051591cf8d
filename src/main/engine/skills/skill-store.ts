import { dirname, join } from 'node:path';
import ignore from 'ignore';
import { nearestName } from '../../../shared/nearest-name';
import type { SettingsProblem } from '../../../shared/settings';
import type { Files } from '../ports';
import {
  createLook,
  type DefinitionPlaces,
  type IsModel,
  type Look,
} from '../settings/definition-places';
import { fieldProblem } from '../settings/frontmatter';
import { createFileCache, findFiles } from '../settings/markdown-files';
import { findPluginFiles } from '../settings/plugins/plugin-files';
import type { Plugin } from '../settings/plugins/read-plugin';
import { atPlace } from '../settings/value-places';
import { MAX_DESCRIPTION, type ReadSkill, readSkill, type Skill, type SkillSource } from './skill';

/** The skills and commands of one session, as files have them now. */
export interface SkillStore extends Look {
  /** Returns all of them, sorted by name; each name once. */
  list(): readonly Skill[];
  /** Returns the one of a name, in any case; null when there is none. */
  find(name: string): Skill | null;
  problems(): readonly SettingsProblem[];
}

/**
 * Creates a store. Nothing is read before `refresh`. `reserved`: names that a file cannot take; `wanted`: the names that the
 * model may use, absent: all; `isModel` tells whether one can ask for a model.
 */
export function createSkillStore(
  files: Files,
  places: () => DefinitionPlaces,
  reserved: ReadonlySet<string>,
  wanted?: readonly string[],
  isModel?: IsModel,
): SkillStore {
  const readers = SOURCES.flatMap((source) =>
    KINDS.map((kind) => ({
      source,
      kind,
      read: createFileCache((file) => readSkill(files, file, kind, source, isModel)),
    })),
  );
  const ofPlugins = KINDS.map((kind) => ({
    kind,
    read: createFileCache((file) => readSkill(files, file, kind, 'plugin', isModel)),
  }));
  let found = joinSkills([], reserved);
  const look = async () => {
    const now = places();
    const read = await Promise.all(
      readers.map(async ({ source, kind, read }): Promise<readonly ReadSkill[]> => {
        const folder = folderOf(source, kind, now);
        if (folder === null) return [];
        const ofSkills = source === 'project' && kind === 'skill';
        const above = ofSkills ? await foldersAbove(files, now) : [];
        const more = [...above, ...(ofSkills ? (now.nested ?? []) : [])];
        const folders = [folder, ...more.map((one) => join(one, '.claude', 'skills'))];
        const found = await Promise.all(
          folders.map((one, at) =>
            findFiles(files, one, {
              within:
                source !== 'project'
                  ? null
                  : at > 0 && at <= above.length
                    ? (above.at(-1) ?? null)
                    : now.project,
              ...(kind === 'skill'
                ? { picks: (name) => /[\\/]SKILL\.md$/.test(name), endsAt: 'SKILL.md' }
                : { picks: (name) => name.endsWith('.md') }),
            }),
          ),
        );
        const own = found[0]?.files.length ?? 0;
        const skills = await read(found.flatMap(({ files: listed }) => listed));
        const problems = found.flatMap((one) => one.problems);
        return [
          ...skills.map((one, at) => (at < own ? one : withoutGrants(one))),
          { skill: null, problems },
        ];
      }),
    );
    const plugged = await Promise.all(
      ofPlugins.map(async ({ kind, read }): Promise<readonly ReadSkill[]> => {
        const plugins = now.includeFiles ? (now.plugins ?? []) : [];
        const { files: listed, problems } = await findPluginFiles(files, plugins, `${kind}s`);
        const skills = await read(listed.map(({ file }) => file));
        return [
          ...skills.map((one, at) => inPlugin(one, listed[at]?.plugin)),
          { skill: null, problems },
        ];
      }),
    );
    const there = [...read.flat(), ...plugged.flat()];
    const all = there.map((one) => overridden(one, now));
    const joined = joinSkills(
      wanted === undefined ? all : all.map((one) => limitedTo(one, wanted)),
      reserved,
    );
    found = { ...joined, problems: [...joined.problems, ...namingNone(there, now)] };
  };
  return {
    list: () => found.skills,
    find: (name) => found.byName.get(name.toLowerCase()) ?? null,
    problems: () => found.problems,
    ...createLook(look),
  };
}

/**
 * Returns the folders above a project up to the root of its repository, nearest first; none outside of one. Git is not asked:
 * a `.git` marks the root.
 */
async function foldersAbove(
  files: Pick<Files, 'stat'>,
  { project, userFolder }: DefinitionPlaces,
): Promise<readonly string[]> {
  const above: string[] = [];
  for (let folder = project; !(await files.stat(join(folder, '.git'))).ok; ) {
    const parent = dirname(folder);
    if (parent === folder) return [];
    above.push(parent);
    folder = parent;
  }
  // The user's own are theirs wherever their home is.
  return above.filter((folder) => join(folder, '.claude') !== userFolder);
}

/**
 * Takes from a skill of a folder above or below what it would allow and run: nobody was shown it before they trusted the
 * project. Calls that it needs are asked about like any other.
 */
const withoutGrants = ({ skill, problems }: ReadSkill): ReadSkill => ({
  skill: skill && { ...skill, allowedTools: [], hooks: [] },
  problems,
});

/** Takes a skill from the model that is not among those wanted; a user may still type its name. */
const limitedTo = ({ skill, problems }: ReadSkill, wanted: readonly string[]): ReadSkill => ({
  skill:
    skill === null || wanted.some((name) => skill.name === name || skill.name.endsWith(`:${name}`))
      ? skill
      : { ...skill, modelInvocable: false },
  problems,
});

/** Returns a skill as settings want it used; none where they switch it off. */
function overridden(
  { skill, problems }: ReadSkill,
  { skillOverrides = {} }: DefinitionPlaces,
): ReadSkill {
  const wish =
    skill !== null && Object.hasOwn(skillOverrides, skill.name) ? skillOverrides[skill.name] : 'on';
  if (skill === null || wish === 'off') return { skill: null, problems };
  const changes = {
    'name-only': { nameOnly: true },
    'user-invocable-only': { modelInvocable: false },
    on: {},
  };
  return { skill: { ...skill, ...changes[wish ?? 'on'] }, problems };
}

/** More overrides without a skill are not told. */
const MAX_TOLD = 50;

/** Returns which overrides of settings name no skill that was found. */
function namingNone(
  there: readonly ReadSkill[],
  { skillOverrides = {}, settingPlaces = {}, includeFiles }: DefinitionPlaces,
): readonly SettingsProblem[] {
  const names = new Set(there.flatMap(({ skill }) => skill?.name ?? []));
  const none = Object.keys(skillOverrides).filter((name) => !names.has(name));
  if (!includeFiles) return [];
  return none.slice(0, MAX_TOLD).map((name) => {
    const field = `skillOverrides.${name}` as const;
    const place = settingPlaces[field] ?? { file: 'settings' };
    const meant = nearestName(name, names);
    const advice = meant === null ? '' : `; “${meant}” may be meant`;
    const words = `no skill has this name so far, so it changes nothing${advice}.`;
    return { ...place, field, message: atPlace(place, field, words), level: 'warning' };
  });
}

/** Returns a skill as one of a plugin. */
const inPlugin = ({ skill, problems }: ReadSkill, plugin?: Plugin): ReadSkill => ({
  skill:
    skill === null || plugin === undefined
      ? null
      : {
          ...skill,
          name: `${plugin.name}:${skill.name}`,
          pluginRoot: plugin.root,
          pluginValues: plugin.shownValues,
        },
  problems,
});

const SOURCES: readonly SkillSource[] = ['managed', 'user', 'project', 'plugin'];
/** Of a skill and a command of one name the skill counts, wherever they are. */
const KINDS = ['skill', 'command'] as const;

function folderOf(
  source: SkillSource,
  kind: Skill['kind'],
  places: DefinitionPlaces,
): string | null {
  if (!places.includeFiles || (source === 'project' && !places.includeProject)) return null;
  const name = `${kind}s`;
  if (source === 'plugin') return null;
  if (source === 'user') return places.includeUser === false ? null : join(places.userFolder, name);
  if (source === 'project') return join(places.project, '.claude', name);
  return places.managedFile && join(dirname(places.managedFile), '.claude', name);
}

/**
 * Returns the skills that the model is told of, each with when to use it: those it may use and that say what they are for.
 * One with `paths` waits until one of those files was seen; `seen` counts from the project. Pure.
 */
export const listedSkills = (
  skills: readonly Skill[],
  seen: readonly string[],
): readonly { readonly name: string; readonly description: string }[] =>
  skills
    .filter(
      ({ modelInvocable, description, whenToUse, nameOnly, paths }) =>
        modelInvocable &&
        (nameOnly === true || `${description}${whenToUse}` !== '') &&
        isDue(paths, seen),
    )
    .map(({ name, description, whenToUse, nameOnly }) => ({
      name,
      description: (nameOnly === true ? [] : [description, whenToUse])
        .filter((text) => text !== '')
        .join(' ')
        .slice(0, MAX_DESCRIPTION)
        .toWellFormed(),
    }));

const isDue = (paths: readonly string[], seen: readonly string[]): boolean =>
  paths.length === 0 ||
  seen.some(
    (path) =>
      path !== '' &&
      ignore()
        .add([...paths])
        .ignores(path),
  );

/** Joins what was read: of two of one name the stronger counts, and the other is told. Pure. */
function joinSkills(read: readonly ReadSkill[], reserved: ReadonlySet<string>) {
  const problems = read.flatMap((one) => one.problems);
  const byName = new Map<string, Skill>();
  const all = read.flatMap(({ skill }) => skill ?? []);
  const rank = ({ kind, source }: Skill) => KINDS.indexOf(kind) * 10 + SOURCES.indexOf(source);
  for (const skill of all.toSorted((a, b) => rank(a) - rank(b))) {
    const key = skill.name.toLowerCase();
    const before = byName.get(key);
    const taken = reserved.has(key) ? 'a command of Lathe' : before?.file;
    if (taken === undefined) byName.set(key, skill);
    else
      problems.push(fieldProblem(skill.file, '', `left out: /${skill.name} is ${taken} already`));
  }
  const skills = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { skills, byName, problems };
}
