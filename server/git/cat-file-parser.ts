/** What cat-file says about one object; null for "missing" and "ambiguous". `content` is empty for `info`. */
export type CatFileAnswer = {
  readonly oid: string
  readonly type: string
  readonly size: number
  readonly content: Buffer
} | null

type Found = Exclude<CatFileAnswer, null>

const HEADER = /^([0-9a-f]{40,64}) (commit|tree|blob|tag) (\d+)$/
const NOTHING = Buffer.alloc(0)
const LINE_FEED = 10

/** Cuts the output of `cat-file --batch-command` into answers. Large contents are put together once, at their end. */
export class CatFileParser {
  #chunks: Buffer[] = []
  #size = 0
  #header: Found | null = null

  /** True between the header of an object and the end of its content. */
  get isInsideAnswer(): boolean {
    return this.#header !== null
  }

  /** @param wantsContent tells whether the answer with this number among those completed now brings its content */
  push(chunk: Buffer, wantsContent: (index: number) => boolean): CatFileAnswer[] {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    const answers: CatFileAnswer[] = []
    for (;;) {
      const answer = this.#next(wantsContent(answers.length))
      if (answer === undefined) return answers
      answers.push(answer)
    }
  }

  #next(wantsContent: boolean): CatFileAnswer | undefined {
    if (this.#header === null) {
      const line = this.#takeLine()
      if (line === null) return undefined
      const match = HEADER.exec(line)
      if (match === null) return null
      const header = { oid: match[1]!, type: match[2]!, size: Number(match[3]), content: NOTHING }
      if (!wantsContent) return header
      this.#header = header
    }
    if (this.#size < this.#header.size + 1) return undefined
    const content = this.#take(this.#header.size + 1).subarray(0, -1)
    const answer = { ...this.#header, content }
    this.#header = null
    return answer
  }

  #takeLine(): string | null {
    const last = this.#chunks.at(-1)
    if (last === undefined || (this.#chunks.length > 1 && !last.includes(LINE_FEED))) return null
    const data = this.#join()
    const end = data.indexOf(LINE_FEED)
    return end === -1 ? null : this.#take(end + 1).toString('utf8', 0, end)
  }

  #take(length: number): Buffer {
    const data = this.#join()
    this.#chunks = length === data.length ? [] : [data.subarray(length)]
    this.#size -= length
    return data.subarray(0, length)
  }

  #join(): Buffer {
    const [first] = this.#chunks
    if (first !== undefined && this.#chunks.length === 1) return first
    const data = Buffer.concat(this.#chunks, this.#size)
    this.#chunks = [data]
    return data
  }
}
