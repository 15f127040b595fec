/** The answer of cat-file about one object; null for "missing" and "ambiguous". `content` is empty for `info`. */
export type CatFileAnswer = {
  readonly oid: string
  readonly type: string
  readonly size: number
  readonly content: Buffer
} | null

type Found = Exclude<CatFileAnswer, null>

interface CatFileQuestion {
  readonly name: string
  readonly wantsContent: boolean
}

const HEADER = /^([0-9a-f]{40,64}) (commit|tree|blob|tag) (\d+)$/
const OBJECT_ID = /^[0-9a-f]{40,64}$/
const NOTHING = Buffer.alloc(0)
const LINE_FEED = 10

/**
 * Splits the output of `cat-file --batch-command` into answers. Large contents are joined once, at their end. After an
 * answer that does not fit its question, `isConfused` stays true and nothing more is parsed.
 */
export class CatFileParser {
  #chunks: Buffer[] = []
  #size = 0
  #header: Found | null = null
  #isConfused = false

  get isConfused(): boolean {
    return this.#isConfused
  }

  /** @param asked the question that the answer with this number, among those completed now, belongs to */
  push(chunk: Buffer, asked: (index: number) => CatFileQuestion | undefined): CatFileAnswer[] {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    const answers: CatFileAnswer[] = []
    while (this.#size > 0 && !this.#isConfused) {
      const question = asked(answers.length)
      if (question === undefined) this.#isConfused = true
      const answer = question === undefined ? undefined : this.#next(question)
      if (answer === undefined) break
      answers.push(answer)
    }
    return answers
  }

  #next(question: CatFileQuestion): CatFileAnswer | undefined {
    if (this.#header === null) {
      const line = this.#takeLine()
      if (line === null) return undefined
      if (line === `${question.name} missing` || line === `${question.name} ambiguous`) return null
      const header = readHeader(line, question)
      if (header === null) this.#isConfused = true
      if (header === null || !question.wantsContent) return header ?? undefined
      this.#header = header
    }
    const { size } = this.#header
    if (this.#size < size + 1) return undefined
    const content = this.#take(size + 1)
    if (content[size] !== LINE_FEED) {
      this.#isConfused = true
      return undefined
    }
    const answer = { ...this.#header, content: content.subarray(0, size) }
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

function readHeader(line: string, question: CatFileQuestion): Found | null {
  const match = HEADER.exec(line)
  if (match === null) return null
  if (OBJECT_ID.test(question.name) && question.name !== match[1]) return null
  return { oid: match[1]!, type: match[2]!, size: Number(match[3]), content: NOTHING }
}
