import { Plus } from 'lucide-react';
import { useState } from 'react';
import { MAX_PROFILES, type TerminalProfile } from '../../shared/settings';
import { setPreferences } from '../store/settings';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { leftByEsc } from '../ui/Dialog';
import { TextField } from '../ui/Fields';
import { draftOf, EMPTY_PROFILE, type ProfileDraft, profileOf } from './profile-text';

const NONE: readonly TerminalProfile[] = [];

/** The profiles of terminals: each can be changed and removed, and one can be added. */
export function TerminalProfiles() {
  const lathe = useLathe();
  const profiles = useScreen((s) => s.app?.preferences.profiles) ?? NONE;
  /** The name of the profile that is changed; null: a new one; undefined: none. */
  const [edited, setEdited] = useState<string | null | undefined>(undefined);
  const save = (next: readonly TerminalProfile[]) => {
    void setPreferences(lathe, { profiles: [...next] });
    setEdited(undefined);
  };
  return (
    <section aria-label="Profiles" className="flex flex-col gap-2">
      <h3 className="text-code font-medium text-ink">Profiles</h3>
      <p className="text-meta text-ink-3">
        Shells and other programs to open in terminals by name, beside your own shell.
      </p>
      {profiles.map((profile) =>
        profile.name === edited ? (
          <ProfileForm
            key={profile.name}
            start={draftOf(profile)}
            others={profiles.filter((one) => one !== profile)}
            onSave={(next) => save(profiles.map((one) => (one === profile ? next : one)))}
            onCancel={() => setEdited(undefined)}
          />
        ) : (
          <div key={profile.name} className="flex items-center gap-2">
            <span className="shrink-0 text-code text-ink">{profile.name}</span>
            <span className="min-w-0 flex-1 truncate font-mono text-meta text-ink-3">
              {[profile.program, ...profile.args].join(' ')}
            </span>
            <Button
              size="sm"
              aria-label={`Change ${profile.name}`}
              onClick={() => setEdited(profile.name)}
            >
              Change
            </Button>
            <Button
              size="sm"
              aria-label={`Remove ${profile.name}`}
              onClick={() => save(profiles.filter((one) => one !== profile))}
            >
              Remove
            </Button>
          </div>
        ),
      )}
      {edited === null ? (
        <ProfileForm
          start={EMPTY_PROFILE}
          others={profiles}
          onSave={(next) => save([...profiles, next])}
          onCancel={() => setEdited(undefined)}
        />
      ) : (
        <Button
          size="sm"
          icon={Plus}
          className="self-start"
          disabled={profiles.length >= MAX_PROFILES}
          onClick={() => setEdited(null)}
        >
          Add a profile
        </Button>
      )}
    </section>
  );
}

const FIELDS = [
  { field: 'name', label: 'Name', placeholder: 'Python' },
  { field: 'program', label: 'Program', placeholder: 'python3' },
  { field: 'args', label: 'Arguments', placeholder: "-q -c 'import math' -i" },
  { field: 'env', label: 'Environment', placeholder: 'NAME=value OTHER=value' },
] as const;

function ProfileForm({
  start,
  others,
  onSave,
  onCancel,
}: {
  readonly start: ProfileDraft;
  readonly others: readonly TerminalProfile[];
  readonly onSave: (profile: TerminalProfile) => void;
  readonly onCancel: () => void;
}) {
  const [draft, setDraft] = useState(start);
  const [tried, setTried] = useState(false);
  const result = profileOf(draft, others);
  const problem = 'problem' in result ? result : null;
  return (
    <form
      aria-label={start.name === '' ? 'New profile' : `Profile ${start.name}`}
      className="flex flex-col gap-2 rounded-md border border-line p-3"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (!('problem' in result)) onSave(result);
      }}
      {...leftByEsc(onCancel)}
    >
      {FIELDS.map(({ field, label, placeholder }) => (
        <TextField
          key={field}
          label={label}
          mono={field !== 'name'}
          placeholder={placeholder}
          value={draft[field]}
          autoFocus={field === 'name'}
          onChange={(next) => setDraft({ ...draft, [field]: next })}
          {...(tried && problem?.field === field ? { error: problem.problem } : {})}
        />
      ))}
      <div className="flex justify-end gap-2">
        <Button size="sm" type="button" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="sm" type="submit" variant="primary">
          Save the profile
        </Button>
      </div>
    </form>
  );
}
