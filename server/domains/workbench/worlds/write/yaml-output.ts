import { TimeSlices } from '../../../../lib/time-slices.ts'
import { beginningOf, countOf, keyOf, linesOf, type Yaml } from './yaml.ts'

/** The maximum size of a written world in bytes. Reading accepts 16 MB and 300,000 values. */
const MAX_BYTES = 15 * 1024 * 1024
const MAX_VALUES = 280_000

/** The current size of a world. */
export interface Size {
  readonly bytes: number
  readonly values: number
}

export function fits(a: Size, b: Size): boolean {
  return a.bytes + b.bytes <= MAX_BYTES && a.values + b.values <= MAX_VALUES
}

/** Collects the lines of a world that is being written, and their size. */
export class YamlOutput {
  readonly #slices = new TimeSlices()
  readonly #parts: string[] = []
  #bytes = 0
  #values = 0

  get size(): Size {
    return { bytes: this.#bytes, values: this.#values }
  }

  /** True if the text is larger than a world may be. */
  get isFull(): boolean {
    return !fits(this.size, { bytes: 0, values: 0 })
  }

  get text(): string {
    return this.#parts.join('')
  }

  add(other: YamlOutput): void {
    this.#push(other.text, other.#values)
  }

  /** Writes `key: value`, or nothing for an undefined value. */
  value(key: string, value: Yaml | undefined, indent: string): void {
    if (value !== undefined) this.#put(linesOf(keyOf(key), value, indent), countOf(value))
  }

  /** Begins a list or map of entries that are added one by one. */
  open(head: string, indent: string): void {
    this.#put([`${indent}${head}`], 1)
  }

  /** Writes an entry of the open list, or `key: value` of the open map. Yields to other work in between. */
  async entry(head: string, value: Yaml, indent: string): Promise<void> {
    this.#put(linesOf(head, value, indent), countOf(value))
    await this.yieldToOthers()
  }

  /** Begins an entry of the open list, to which more keys are added. */
  begin(value: { readonly [key: string]: Yaml | undefined }, indent: string): void {
    this.#put(beginningOf(value, indent), countOf(value))
  }

  async list(key: string, values: readonly Yaml[], indent: string): Promise<void> {
    if (values.length === 0) return
    this.open(`${key}:`, indent)
    for (const value of values) await this.entry('-', value, `${indent}  `)
  }

  async yieldToOthers(): Promise<void> {
    if (this.#slices.isOver()) await this.#slices.next()
  }

  #put(lines: readonly string[], values: number): void {
    this.#push(`${lines.join('\n')}\n`, values)
  }

  #push(text: string, values: number): void {
    this.#parts.push(text)
    this.#bytes += Buffer.byteLength(text)
    this.#values += values
  }
}
