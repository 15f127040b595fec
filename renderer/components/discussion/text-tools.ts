type Field = Pick<HTMLTextAreaElement, 'value' | 'selectionStart' | 'selectionEnd'>
type Changed = { text: string; caret: number; to: number }

/** Surrounds the selection with two markers, or removes them if they exist. */
export const surround = (field: Field, before: string, after = before): Changed => {
  const { value, selectionStart: from, selectionEnd: to } = field
  const inside = value.slice(from, to)
  const isThere =
    value.slice(from - before.length, from) === before && value.slice(to, to + after.length) === after
  if (isThere) {
    const text = value.slice(0, from - before.length) + inside + value.slice(to + after.length)
    return { text, caret: from - before.length, to: to - before.length }
  }
  const text = value.slice(0, from) + before + inside + after + value.slice(to)
  return { text, caret: from + before.length, to: to + before.length }
}

/** A mark at the start of every line that is selected. */
export const startLines = (field: Field, mark: string): Changed => {
  const { value, selectionStart, selectionEnd } = field
  const from = value.lastIndexOf('\n', selectionStart - 1) + 1
  const lines = value.slice(from, selectionEnd).split('\n')
  const put = lines.map((line) => mark + line).join('\n')
  const text = value.slice(0, from) + put + value.slice(selectionEnd)
  return { text, caret: selectionStart + mark.length, to: from + put.length }
}

/** The text that replaces the selection. */
export const insertAt = (field: Field, put: string): Changed => {
  const { value, selectionStart: from, selectionEnd: to } = field
  const caret = from + put.length
  return { text: value.slice(0, from) + put + value.slice(to), caret, to: caret }
}
