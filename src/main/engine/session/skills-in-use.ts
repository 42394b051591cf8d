import type { AgentState } from '../agent-state';
import type { Skill } from '../skills/skill';
import type { UsedSkills } from '../tools/environment';
import type { SkillGrants } from './overlay';

/** The skills that one agent uses, and what holds because of them. */
export interface SkillsInUse extends UsedSkills {
  /** Ends what holds only while a skill is in use: a query is over. */
  end(): void;
}

interface SkillsInUseOptions {
  readonly state: Pick<AgentState, 'config' | 'chosenModel' | 'configure'>;
  readonly grants: Pick<SkillGrants, 'grant'>;
  readonly resolveModel: (name: string) => { readonly ok: boolean; readonly value?: string };
  readonly onProblem: (text: string) => void;
}

/** The most texts that are kept to be told again after a summary. */
const MAX_KEPT = 5;

/** Creates what an agent without skills in use has. */
export function createSkillsInUse(options: SkillsInUseOptions): SkillsInUse {
  const { state, grants } = options;
  let waiting: UsedSkills['waiting'] extends () => infer T ? T : never = [];
  let kept: typeof waiting = [];
  let ends: (() => void)[] = [];

  const configure = ({ name, model, effort }: Skill) => {
    const before = { ...state.config(), model: state.chosenModel() };
    if (model !== undefined) {
      const resolved = options.resolveModel(model);
      if (resolved.value === undefined) {
        options.onProblem(
          `The skill ${name} asks for the model "${model}", which is not known, or not to be chosen.`,
        );
      } else if (resolved.value !== before.model) {
        state.configure({ model: resolved.value });
        ends.push(() => state.configure({ model: before.model }));
      }
    }
    if (effort !== undefined && effort !== before.effort) {
      state.configure({ effort });
      ends.push(() => state.configure({ effort: before.effort }));
    }
  };

  return {
    use: (skill, text, mentions) => {
      const used = { name: skill.name, folder: skill.folder, text, mentions };
      waiting = [...waiting, used];
      kept = [...kept.filter(({ name }) => name !== skill.name), used].slice(-MAX_KEPT);
      ends.push(grants.grant(skill));
      configure(skill);
    },
    waiting: () => waiting,
    told: (count) => {
      waiting = waiting.slice(count);
    },
    recent: () => kept,
    end: () => {
      // The last that was changed is changed back first.
      for (const end of ends.reverse()) end();
      ends = [];
    },
  };
}
