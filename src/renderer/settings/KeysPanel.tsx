import { Plus, RotateCcw, SquareArrowOutUpRight, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import {
  changesFor,
  changesForAll,
  conflictsOf,
  isChanged,
  type Keymap,
  NO_BINDINGS,
  refusalOf,
} from '../../shared/keymap';
import { sameStroke, shortcutOf } from '../../shared/shortcut';
import { type AppCommand, COMMANDS, type CommandId, GROUPS } from '../../shared/window-commands';
import { useKeymap } from '../commands/use-keymap';
import { editFile } from '../store/files';
import { changeKeys } from '../store/settings';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button, IconButton, Kbd } from '../ui/Button';
import { leftByEsc } from '../ui/Dialog';
import { TextField } from '../ui/Fields';
import { tildePath } from '../ui/format';
import { keyText, onApple, pressOf } from '../ui/keys';
import { ProblemList } from './ProjectPanel';

/** A table of all commands with their keys. Keys are added, taken away and reset here, or in the user's file. */
export function KeysPanel() {
  const lathe = useLathe();
  const keymap = useKeymap();
  const keys = useScreen((s) => s.app?.keys ?? NO_BINDINGS);
  const home = useScreen((s) => s.info?.home ?? '');
  const [filter, setFilter] = useState('');
  const [recording, setRecording] = useState<CommandId | null>(null);
  const [said, setSaid] = useState('');
  const save = (id: CommandId, wanted: readonly string[], words: string) => {
    setSaid(words);
    setRecording(null);
    void changeKeys(lathe, changesFor(keys, id, wanted, onApple()));
  };
  const fits = ({ title, id }: AppCommand) =>
    `${title} ${keymap.keysOf(id).map(caps).join(' ')}`
      .toLowerCase()
      .includes(filter.trim().toLowerCase());
  const groups = GROUPS.map((group) => ({
    group,
    commands: COMMANDS.filter((one) => one.group === group && fits(one)),
  })).filter(({ commands }) => commands.length > 0);
  const ownRules = changesForAll(keys);
  const openFile = () => {
    const line = keymap.problems[0]?.line;
    return editFile(lathe, { path: keys.file, ...(line === undefined ? {} : { line }) });
  };
  return (
    <div className="flex flex-col gap-4">
      {keymap.problems.length === 0 ? null : (
        <section aria-label="Problems with your keys">
          <ProblemList problems={keymap.problems} home={home} />
        </section>
      )}
      <TextField
        label="Find a command or a key"
        hideLabel
        type="search"
        placeholder="Find a command or a key"
        value={filter}
        onChange={setFilter}
      />
      <table className="w-full border-collapse text-code">
        <thead className="sr-only">
          <tr>
            <th scope="col">Command</th>
            <th scope="col">Keys</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        {groups.map(({ group, commands }) => (
          <tbody key={group}>
            <tr>
              <th
                scope="rowgroup"
                colSpan={3}
                className="pt-3 pb-1 text-left text-meta font-medium text-ink-3"
              >
                {group}
              </th>
            </tr>
            {commands.map((command) => (
              <CommandRow
                key={command.id}
                command={command}
                keymap={keymap}
                recording={recording === command.id}
                onRecord={(on) => setRecording(on ? command.id : null)}
                onKeys={(wanted, words) => save(command.id, wanted, words)}
              />
            ))}
          </tbody>
        ))}
      </table>
      {groups.length === 0 ? (
        <p className="text-center text-code text-ink-3">No command fits “{filter}”.</p>
      ) : null}
      <p role="status" className="sr-only">
        {said}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 text-meta text-ink-3">
          Kept in {tildePath(keys.file, home)}, which may be edited by hand; changes there count at
          once. A browser keeps some keys for itself, such as Ctrl+N, Ctrl+T and Ctrl+W.
        </p>
        <Button
          size="sm"
          icon={SquareArrowOutUpRight}
          disabled={keys.bindings.length === 0 && keys.problems.length === 0}
          onClick={() => void openFile()}
        >
          Open the file
        </Button>
        <Button
          size="sm"
          icon={RotateCcw}
          disabled={ownRules.length === 0}
          onClick={() => {
            setSaid('All keys are as Lathe has them.');
            void changeKeys(lathe, ownRules);
          }}
        >
          Reset all
        </Button>
      </div>
    </div>
  );
}

const caps = (key: string): string => keyText(key, onApple());

function CommandRow({
  command: { id, title, scope, keys: ours },
  keymap,
  recording,
  onRecord,
  onKeys,
}: {
  readonly command: AppCommand;
  readonly keymap: Keymap;
  readonly recording: boolean;
  readonly onRecord: (on: boolean) => void;
  /** Gives the command these keys; the words say what became of it. */
  readonly onKeys: (keys: readonly string[], words: string) => void;
}) {
  const keys = keymap.keysOf(id);
  const add = useRef<HTMLButtonElement>(null);
  const stop = () => {
    onRecord(false);
    add.current?.focus();
  };
  return (
    <>
      <tr className="border-t border-line">
        <th scope="row" className="py-1 pr-3 text-left font-normal text-ink-2">
          {title}
        </th>
        <td className="py-1 pr-2">
          <ul className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {keys.map((key) => (
              <li key={key} className="flex items-center gap-0.5">
                <Kbd keys={key} />
                <IconButton
                  icon={X}
                  size="xs"
                  label={`Take ${caps(key)} away from ${title}`}
                  onClick={() => {
                    add.current?.focus();
                    onKeys(
                      keys.filter((one) => one !== key),
                      `${title} no longer has ${caps(key)}.`,
                    );
                  }}
                />
              </li>
            ))}
          </ul>
        </td>
        <td className="w-16 py-1 text-right whitespace-nowrap">
          {isChanged(keymap, id) ? (
            <IconButton
              icon={RotateCcw}
              label={`Reset the keys of ${title}`}
              onClick={() => {
                add.current?.focus();
                onKeys(ours, `${title} has its keys as Lathe has them.`);
              }}
            />
          ) : null}
          <IconButton
            ref={add}
            icon={Plus}
            label={`Add a key for ${title}`}
            pressed={recording}
            onClick={() => onRecord(!recording)}
          />
        </td>
      </tr>
      {recording ? (
        <tr>
          <td colSpan={3} className="pb-2">
            <Recorder
              title={title}
              refusal={(key) => refusalOf(key, scope)}
              conflicts={(key) => conflictsOf(keymap, id, key, onApple())}
              onKey={(key) => {
                add.current?.focus();
                const others = keys.filter((one) => !sameStroke(one, key, onApple()));
                onKeys([...others, key], `${title} has ${caps(key)}.`);
              }}
              onCancel={stop}
            />
          </td>
        </tr>
      ) : null}
    </>
  );
}

/** Waits for a key press, and tells first when the key belongs to another command. Esc and Tab leave it. */
function Recorder({
  title,
  refusal,
  conflicts,
  onKey,
  onCancel,
}: {
  readonly title: string;
  readonly refusal: (key: string) => string | null;
  readonly conflicts: (key: string) => readonly AppCommand[];
  readonly onKey: (key: string) => void;
  readonly onCancel: () => void;
}) {
  const [pressed, setPressed] = useState<string | null>(null);
  const [refused, setRefused] = useState('');
  const button = useRef<HTMLButtonElement>(null);
  // A question has a button of its own.
  useEffect(() => button.current?.focus(), [pressed]);
  const others = pressed === null ? [] : conflicts(pressed);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const apple = onApple();
    const press = pressOf(event.nativeEvent, apple);
    const bare = !press.mod && !press.other && !press.alt;
    if (event.key === 'Tab' && bare) return onCancel();
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Escape' && bare && !press.shift) return onCancel();
    const key = shortcutOf(press, apple);
    if (key === null) {
      const isCharacter = [...event.key].length === 1;
      return setRefused(isCharacter ? 'A key that types a character needs Ctrl, Alt or ⌘.' : '');
    }
    const why = refusal(key);
    if (why !== null) return setRefused(`${caps(key)}: ${why}.`);
    setRefused('');
    if (conflicts(key).length === 0) onKey(key);
    else setPressed(key);
  };
  if (pressed === null) {
    return (
      <div className="flex flex-col gap-1">
        <button
          type="button"
          ref={button}
          data-takes-keys
          onKeyDown={onKeyDown}
          className="rounded-md border border-accent bg-sunken px-3 py-2 text-left text-code"
        >
          Press the key for “{title}”. <span className="text-ink-3">Esc leaves it as it is.</span>
        </button>
        <p role="alert" className="text-meta text-failed empty:hidden">
          {refused}
        </p>
      </div>
    );
  }
  return (
    <div
      role="alert"
      {...leftByEsc(onCancel)}
      className="flex flex-wrap items-center gap-2 rounded-md border border-line bg-waits-tint px-3 py-2 text-code"
    >
      <span className="min-w-0 flex-1">
        {caps(pressed)} belongs to {others.map((other) => `“${other.title}”`).join(' and ')}.
      </span>
      <Button size="sm" onClick={onCancel}>
        Leave it there
      </Button>
      <Button size="sm" variant="primary" autoFocus onClick={() => onKey(pressed)}>
        Use it here
      </Button>
    </div>
  );
}
