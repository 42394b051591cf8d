import { useEffect, useRef, useState } from 'react';
import { phaseOf } from '../store/screen';
import { useLathe } from '../store/use-lathe';
import { cx } from '../ui/css';

/** Words that were typed before there was a message box. */
export interface EarlyWords {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** Keeps early words, and puts them into the draft once the workbench takes the place of what used this. Nothing is sent. */
export function useEarlyWords(): EarlyWords {
  const { store, current } = useLathe();
  const [text, setText] = useState('');
  const typed = useRef('');
  useEffect(
    () => () => {
      if (typed.current.trim() === '' || phaseOf(store.getState()).kind !== 'workbench') return;
      current.addToDraft(typed.current);
    },
    [store, current],
  );
  const onChange = (next: string) => {
    typed.current = next;
    setText(next);
  };
  return { text, onChange };
}

/** Takes the keys while Lathe starts; seen once there is something in it. */
export function EarlyField({ text, onChange }: EarlyWords) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const { current } = field;
    current?.focus();
    // What was typed in a phase before stands in it already.
    current?.setSelectionRange(current.value.length, current.value.length);
  }, []);
  return (
    <textarea
      ref={field}
      rows={1}
      aria-label="Your first message, kept until Lathe is ready"
      value={text}
      onChange={({ currentTarget: { value } }) => onChange(value)}
      className={cx(
        text === '' && 'sr-only',
        'max-h-[30vh] w-full max-w-120 resize-none rounded-lg border border-line-strong bg-raised px-3 py-2 text-left text-body [field-sizing:content]',
      )}
    />
  );
}
