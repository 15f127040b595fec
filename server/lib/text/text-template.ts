/**
 * A small template language: `{{ commit.title }}`, `{% if author %}…{% else %}…{% end %}` and `{% each entries %}…{%
 * end %}`. A line end after `%}` belongs to the tag, and `\` at the end of a line joins it with the next. Names are
 * looked up in the current item only; `it` is the item itself. A template cannot call functions, so its run time depends
 * only on its length and its data.
 */
export type TextTemplate = readonly Part[]

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: Path }
  | {
      readonly kind: 'if'
      readonly path: Path
      readonly whenTrue: TextTemplate
      readonly whenFalse: TextTemplate
    }
  | { readonly kind: 'each'; readonly path: Path; readonly body: TextTemplate }

type Path = readonly string[]

/** The data of a template. */
export type TemplateData =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly TemplateData[]
  | { readonly [name: string]: TemplateData }

/** An invalid template, or one with a too long result. The message describes the problem for users. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

const MAX_DEPTH = 16
const MAX_LENGTH = 5 * 1024 * 1024
const TAG = /\\\n|\{\{\s*([\w.]+)\s*\}\}|\{%\s*(?:(if|each)\s+([\w.]+)|(else|end))\s*%\}\n?/g

interface OpenBlock {
  readonly kind: 'top' | 'if' | 'each'
  readonly path: Path
  readonly parts: Part[]
  /** The part before `{% else %}`. */
  whenTrue?: Part[]
}

/** Reads a template. Throws TemplateError for blocks that do not end, or end twice, and for unknown tags. */
export function parseTemplate(source: string): TextTemplate {
  const stack: OpenBlock[] = [{ kind: 'top', path: [], parts: [] }]
  const text = source.replaceAll('\r\n', '\n')
  let at = 0
  for (const match of text.matchAll(TAG)) {
    pushText(stack, text.slice(at, match.index))
    at = match.index + match[0].length
    const [, value, block, path, word] = match
    if (value !== undefined) stack.at(-1)!.parts.push({ kind: 'value', path: value.split('.') })
    else if (block !== undefined) open(stack, block as 'if' | 'each', path!)
    else if (word === 'else') addElse(stack)
    else if (word === 'end') close(stack)
  }
  pushText(stack, text.slice(at))
  if (stack.length > 1) throw new TemplateError(`A block is not closed: {% ${stack.at(-1)!.kind} %}`)
  return stack[0]!.parts
}

function pushText(stack: readonly OpenBlock[], text: string): void {
  if (text.includes('{%')) throw new TemplateError('Invalid template syntax: there is an unknown tag')
  if (text !== '') stack.at(-1)!.parts.push({ kind: 'text', text })
}

function open(stack: OpenBlock[], kind: 'if' | 'each', path: string): void {
  if (stack.length > MAX_DEPTH) throw new TemplateError('Template is too deeply nested')
  stack.push({ kind, path: path.split('.'), parts: [] })
}

function addElse(stack: OpenBlock[]): void {
  const block = stack.pop()!
  if (block.kind !== 'if' || block.whenTrue)
    throw new TemplateError('There is an {% else %} without an {% if %}')
  stack.push({ kind: 'if', path: block.path, parts: [], whenTrue: block.parts })
}

function close(stack: OpenBlock[]): void {
  const { kind, path, parts, whenTrue } = stack.pop()!
  if (kind === 'top') throw new TemplateError('There is an {% end %} without a block')
  stack
    .at(-1)!
    .parts.push(
      kind === 'each'
        ? { kind, path, body: parts }
        : { kind, path, whenTrue: whenTrue ?? parts, whenFalse: whenTrue ? parts : [] },
    )
}

/** Renders a template with its data. Throws TemplateError for more than 5 MB. */
export function renderTemplate(template: TextTemplate, data: TemplateData): string {
  const out = new Output()
  render(template, data, out)
  return out.text
}

class Output {
  text = ''

  add(text: string): void {
    this.text += text
    if (this.text.length > MAX_LENGTH) throw new TemplateError('The result of the template is too long')
  }
}

function render(template: TextTemplate, data: TemplateData, out: Output): void {
  for (const part of template) {
    if (part.kind === 'text') out.add(part.text)
    else if (part.kind === 'value') out.add(textOf(lookUp(data, part.path)))
    else if (part.kind === 'if')
      render(isTrue(lookUp(data, part.path)) ? part.whenTrue : part.whenFalse, data, out)
    else {
      const items = lookUp(data, part.path)
      if (Array.isArray(items)) for (const item of items) render(part.body, item as TemplateData, out)
    }
  }
}

function lookUp(data: TemplateData, path: Path): TemplateData {
  let value: TemplateData = data
  for (const name of path) {
    if (name === 'it') continue
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, TemplateData>>)[name]
  }
  return value
}

function isTrue(value: TemplateData): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== undefined && value !== null && value !== false && value !== ''
}

function textOf(value: TemplateData): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? '' : String(value)
}
