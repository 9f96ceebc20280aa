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
  /** What was shown at first, or was last searched for here. The text may have a space after it, before the next word. */
  const searched = useRef(value);
  useEffect(() => {
    if (searched.current !== value) setText(value);
    searched.current = value;
  }, [value]);
  const search = useRef(onSearch);
  search.current = onSearch;
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === value) return;
    const timer = setTimeout(() => {
      searched.current = wanted;
      search.current(wanted);
    }, 250);
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
