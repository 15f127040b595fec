/** One setting of a project or group: its label, help text and control. */
export type SettingLine<K extends string = string> = {
  key: K
  label: string
  help?: string
} & (
  | { kind: 'switch' }
  | { kind: 'choice'; options: readonly { value: string | number; label: string }[] }
  | { kind: 'text' | 'prose'; placeholder?: string }
  | { kind: 'number'; unit?: string; placeholder?: string }
  /** Never shown after it is stored; `kept` is true if a value is stored. */
  | { kind: 'secret'; kept: boolean }
)

/** Settings that belong together, below one heading. */
export type SettingSection<K extends string = string> = {
  title: string
  lead?: string
  lines: readonly SettingLine<K>[]
}

/** A draft of settings by their key, as the controls write it: texts, numbers as texts, switches. */
export type SettingDraft = Record<string, string | number | boolean>

/** The value of a control for a stored value. */
export const shownValue = (line: SettingLine, value: unknown): string | number | boolean => {
  if (line.kind === 'switch') return value === true
  if (line.kind === 'choice') return (value ?? line.options[0]?.value ?? '') as string | number
  return value === null || value === undefined ? '' : String(value)
}

/** Converts the value of a control to the sent value: an empty text becomes null, numbers are parsed. */
export const sentValue = (line: SettingLine, value: string | number | boolean): unknown => {
  if (line.kind === 'switch' || line.kind === 'choice') return value
  const text = String(value)
  if (line.kind === 'number') return text.trim() === '' ? null : Number(text)
  return text === '' ? null : text
}
