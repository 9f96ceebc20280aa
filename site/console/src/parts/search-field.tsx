import { useEffect, useRef, useState } from "preact/hooks";

type Props = {
  readonly placeholder: string;
  readonly maxLength: number;
  /** The current search text. */
  readonly value: string;
  /** Called a moment after the person has typed. */
  readonly onSearch: (text: string) => void;
};

/** A search field that searches while the person types. */
export function SearchField({ placeholder, maxLength, value, onSearch }: Props) {
  const [text, setText] = useState(value);
  const shown = useRef(value);
  useEffect(() => {
    // What somebody types before the first effects run stays.
    if (shown.current !== value) setText(value);
    shown.current = value;
  }, [value]);
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === value) return;
    const timer = setTimeout(() => onSearch(wanted), 250);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="search">
      <span>Search</span>
      <input
        type="search"
        placeholder={placeholder}
        maxLength={maxLength}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </label>
  );
}
