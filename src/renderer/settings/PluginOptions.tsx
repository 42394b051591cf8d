import { useState } from 'react';
import type { PluginOptionView } from '../../shared/plugin';
import type { DoPlugins } from '../store/plugins';
import { Button } from '../ui/Button';
import { TextField } from '../ui/Fields';
import { VisibleProse } from '../ui/VisibleText';

interface OptionsProps {
  /** The plugin. */
  readonly id: string;
  readonly options: readonly PluginOptionView[];
  readonly busy: boolean;
  readonly act: DoPlugins;
}

/** The values that a plugin asks for, each with a field. */
export function PluginOptions({ id, options, busy, act }: OptionsProps) {
  return (
    <section aria-label="Options">
      <h3 className="mb-0.5 text-meta font-medium text-ink-3">
        Options: kept in your own settings file
      </h3>
      <ul className="flex flex-col gap-2">
        {options.map((option) => (
          <OptionField
            key={`${option.key} ${option.value} ${option.isSet}`}
            id={id}
            option={option}
            busy={busy}
            act={act}
          />
        ))}
      </ul>
    </section>
  );
}

function OptionField({
  id,
  option,
  busy,
  act,
}: Omit<OptionsProps, 'options'> & { readonly option: PluginOptionView }) {
  const { key, description, required, sensitive, fallback, value, isSet } = option;
  const [text, setText] = useState(value ?? '');
  const set = (to: string | null) => act({ kind: 'set', id, option: key, value: to });
  return (
    <li>
      <form
        className="flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void set(text);
        }}
      >
        <div className="min-w-0 flex-1">
          <TextField
            label={key}
            value={text}
            onChange={setText}
            type={sensitive ? 'password' : 'text'}
            placeholder={sensitive && isSet ? 'kept, not shown' : (fallback ?? '')}
          />
        </div>
        <Button
          size="sm"
          type="submit"
          disabled={busy || text === (value ?? '')}
          aria-label={`Save ${key}`}
        >
          Save
        </Button>
        {isSet ? (
          <Button
            size="sm"
            variant="ghost"
            disabled={busy}
            aria-label={`Clear ${key}`}
            onClick={() => void set(null)}
          >
            Clear
          </Button>
        ) : null}
      </form>
      <p className="mt-0.5 text-meta text-ink-3">
        <VisibleProse text={description} />
        {required && !isSet && fallback === null
          ? `${description === '' ? '' : ' · '}It has to have a value.`
          : ''}
      </p>
    </li>
  );
}
