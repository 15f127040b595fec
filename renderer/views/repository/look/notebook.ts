/** The output of a notebook cell. */
export type Output = { kind: 'text' | 'error'; text: string } | { kind: 'picture'; address: string }
export interface Cell {
  kind: 'markdown' | 'code' | 'raw'
  text: string
  /** How many cells had run before it, and itself. */
  run: number | null
  outputs: Output[]
}
export interface Notebook {
  language: string
  cells: Cell[]
}

type Json = { readonly [key: string]: unknown }
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : [])
/** Texts are one string or a list of lines. */
const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join('') : typeof value === 'string' ? value : ''
const part = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((found, name) => (isJson(found) ? found[name] : undefined), value)

const outputOf = (output: Json): Output[] => {
  const type = output['output_type']
  if (type === 'error')
    // The colours of a terminal are left out.
    return [{ kind: 'error', text: textOf(listOfTexts(output['traceback'])).replace(/\u001B\[[\d;]*m/g, '') }]
  for (const picture of ['image/png', 'image/jpeg']) {
    const data = textOf(part(output, 'data', picture)).replace(/\s+/g, '')
    if (data) return [{ kind: 'picture', address: `data:${picture};base64,${data}` }]
  }
  const text = type === 'stream' ? textOf(output['text']) : textOf(part(output, 'data', 'text/plain'))
  return text ? [{ kind: 'text', text }] : []
}
const listOfTexts = (value: unknown) =>
  Array.isArray(value) ? value.map((line) => `${String(line)}\n`) : value

/** Reads a Jupyter notebook of format 4; null for anything else. */
export const readNotebook = (text: string): Notebook | null => {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch {
    return null
  }
  if (!isJson(file) || !Array.isArray(file['cells'])) return null
  const language =
    textOf(part(file, 'metadata', 'language_info', 'name')) ||
    textOf(part(file, 'metadata', 'kernelspec', 'language')) ||
    'python'
  const cells = listOf(file['cells']).map((cell): Cell => {
    const type = cell['cell_type']
    const run = cell['execution_count']
    return {
      kind: type === 'markdown' || type === 'code' ? type : 'raw',
      text: textOf(cell['source']),
      run: typeof run === 'number' ? run : null,
      outputs: listOf(cell['outputs']).flatMap(outputOf),
    }
  })
  return { language, cells }
}
